package dev.weir.bench.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.bench.result.Campaign;
import dev.weir.bench.statistics.History;
import dev.weir.bench.statistics.Metric;
import dev.weir.bench.statistics.VersionSeries;
import dev.weir.bench.statistics.VersionSeries.Figure;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reports how the figures of each library changed from version to version, as a page, as tables, or as lines of JSON.
 * Stateless, thread-safe.
 */
public final class VersionsReport {

    private VersionsReport() {}

    /** Returns a self-contained HTML page that works offline. */
    public static String html(List<History> histories) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.put("name", "versions").put("campaign", "versions");
        Set<Metric> metrics = new LinkedHashSet<>();
        ArrayNode nodes = data.putArray("histories");
        for (History history : histories) {
            List<VersionSeries> series = VersionSeries.of(history);
            if (series.isEmpty()) {
                continue;
            }
            Campaign newest = history.campaigns().getLast();
            ObjectNode node = nodes.addObject();
            node.put("name", newest.name())
                    .put("baseline", newest.baseline())
                    .put("cores", newest.environment().cores())
                    .put("processor", newest.environment().processor())
                    .put("campaigns", history.campaigns().size())
                    .put("isRatio", history.snapshots().getLast().isRatio());
            ObjectNode versions = node.putObject("versions");
            versions(series).forEach((driver, of) -> of.forEach(versions.putArray(driver)::add));
            ArrayNode all = node.putArray("series");
            for (VersionSeries each : series) {
                metrics.add(each.metric());
                all.add(node(each));
            }
        }
        ArrayNode named = data.putArray("metrics");
        for (Metric metric : Metric.values()) {
            if (metrics.contains(metric)) {
                HtmlReport.metric(named.addObject(), metric);
            }
        }
        return HtmlReport.page("versions", data);
    }

    /** Returns one line of JSON per point, driver and metric. */
    public static String lines(List<History> histories) {
        StringBuilder lines = new StringBuilder();
        for (History history : histories) {
            Campaign newest = history.campaigns().getLast();
            for (VersionSeries series : VersionSeries.of(history)) {
                ObjectNode line = JsonNodeFactory.instance.objectNode();
                line.put("type", "versions")
                        .put("name", newest.name())
                        .put("baseline", newest.baseline())
                        .put("cores", newest.environment().cores())
                        .put("processor", newest.environment().processor());
                line.setAll(node(series));
                lines.append(JsonReport.write(line)).append('\n');
            }
        }
        return lines.toString();
    }

    /** Returns one table per point, driver and metric. */
    public static String text(List<History> histories) {
        StringBuilder text = new StringBuilder();
        for (History history : histories) {
            Campaign newest = history.campaigns().getLast();
            text.append(String.format(
                    Locale.ROOT,
                    "%s on %d cores, %s: %d campaigns%n",
                    newest.name(),
                    newest.environment().cores(),
                    newest.environment().processor(),
                    history.campaigns().size()));
            List<VersionSeries> all = VersionSeries.of(history);
            if (all.isEmpty()) {
                text.append(String.format("  no driver whose version is known%n"));
            }
            all.forEach(series -> text.append(table(series, newest.baseline())));
        }
        return text.toString();
    }

    private static String table(VersionSeries series, String baseline) {
        StringBuilder table = new StringBuilder(String.format(
                Locale.ROOT,
                "  %s %s: %s in %s, and its ratio to %s%n",
                series.point().label(),
                series.driver(),
                series.metric().title(),
                series.metric().unit(),
                baseline));
        int width = series.figures().stream()
                .mapToInt(figure -> figure.version().length())
                .max()
                .orElse(0);
        for (Figure figure : series.figures()) {
            table.append(String.format(
                    Locale.ROOT,
                    "    %-" + Math.max(1, width) + "s  %12s  %9s  %-20s  %d %s%n",
                    figure.version(),
                    number(figure.median()),
                    number(figure.ratio()),
                    Double.isFinite(figure.low())
                            ? "[" + number(figure.low()) + ", " + number(figure.high()) + "]"
                            : "",
                    figure.campaigns(),
                    figure.campaigns() == 1 ? "campaign" : "campaigns"));
        }
        return table.toString();
    }

    private static String number(double figure) {
        if (!Double.isFinite(figure)) {
            return "-";
        }
        return String.format(Locale.ROOT, figure >= 1000 ? "%,.0f" : figure >= 10 ? "%.1f" : "%.3f", figure);
    }

    private static ObjectNode node(VersionSeries series) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("point", series.point().id())
                .put("label", series.point().label())
                .put("driver", series.driver())
                .put("metric", JsonReport.name(series.metric()));
        ArrayNode figures = node.putArray("figures");
        for (Figure figure : series.figures()) {
            ObjectNode each = figures.addObject();
            each.put("version", figure.version());
            each.put("campaigns", figure.campaigns());
            each.put("newest", figure.newest().id());
            each.put("commit", figure.newest().environment().commit());
            JsonReport.put(each, "ratio", figure.ratio());
            JsonReport.put(each, "low", figure.low());
            JsonReport.put(each, "high", figure.high());
            JsonReport.put(each, "median", figure.median());
            JsonReport.put(each, "lowMedian", figure.lowMedian());
            JsonReport.put(each, "highMedian", figure.highMedian());
        }
        return node;
    }

    /** Returns the versions of each driver that have a figure in at least one series, oldest first. */
    private static Map<String, Collection<String>> versions(List<VersionSeries> series) {
        Map<String, SortedMap<Integer, String>> byPlace = new LinkedHashMap<>();
        for (VersionSeries each : series) {
            SortedMap<Integer, String> of = byPlace.computeIfAbsent(each.driver(), driver -> new TreeMap<>());
            each.figures().forEach(figure -> of.put(figure.place(), figure.version()));
        }
        Map<String, Collection<String>> versions = new LinkedHashMap<>();
        byPlace.forEach((driver, of) -> versions.put(driver, of.values()));
        return versions;
    }
}
