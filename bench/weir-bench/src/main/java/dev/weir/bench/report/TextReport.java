package dev.weir.bench.report;

import dev.weir.bench.figures.PolledSizes;
import dev.weir.bench.figures.ProcessorCounters;
import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import dev.weir.bench.statistics.Analysis;
import dev.weir.bench.statistics.Comparison;
import dev.weir.bench.statistics.DriverResult;
import dev.weir.bench.statistics.Metric;
import dev.weir.bench.statistics.PointResult;
import dev.weir.bench.statistics.RatioInterval;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The results and verdicts of a campaign as tables for a terminal. Stateless, thread-safe. */
final class TextReport {
    /** Metrics that get a column only if at least one driver measured them. */
    private static final List<Metric> EXTRA =
            List.of(Metric.SENT, Metric.FETCHED, Metric.FETCHES, Metric.P50, Metric.P99);

    private static final Map<Metric, String> TITLES = Map.of(
            Metric.SENT, "sent B/B",
            Metric.FETCHED, "records/fetch",
            Metric.FETCHES, "fetches/s",
            Metric.P50, "p50 ms",
            Metric.P99, "p99 ms");

    /** Figures that get a column, without ratios to the baseline, if at least one driver reports them. */
    private static final List<Column> FIGURES = List.of(
            new Column(Totals.HANDLER_MILLIS, "handler ms"),
            new Column(Totals.CEILING, "ceiling/s"),
            new Column(Totals.EFFICIENCY, "efficiency %"),
            new Column(Totals.NOMINAL, "% of nominal"),
            new Column(PolledSizes.P50, "records/poll p50"),
            new Column(PolledSizes.P90, "p90"),
            new Column(PolledSizes.P99, "p99"),
            new Column(PolledSizes.MAX, "max"),
            new Column(PolledSizes.EMPTY, "empty polls %"),
            new Column("pause: collector, longest ms", "longest GC pause ms"),
            new Column("pause: process, longest ms", "longest pause ms"),
            new Column("pause: to a safepoint, longest ms", "to safepoint ms"),
            new Column(ProcessorCounters.figure("cycles"), "cycles/record"),
            new Column(ProcessorCounters.figure("instructions"), "instructions/record"),
            new Column(ProcessorCounters.figure("cache-misses"), "cache misses/record"));

    /** A figure among {@link DriverResult#metrics}. */
    private record Column(String figure, String title) {}

    private TextReport() {}

    static String of(Analysis analysis) {
        Campaign campaign = analysis.campaign();
        StringBuilder text = new StringBuilder();
        JsonReport.Progress progress = JsonReport.Progress.of(analysis);
        text.append(String.format(
                Locale.ROOT,
                "%s: ratios to %s with %.0f %% intervals over rounds, %d of %d runs done%s\n",
                campaign.name(),
                campaign.baseline(),
                Analysis.CONFIDENCE * 100,
                progress.done(),
                progress.planned(),
                progress.failed() == 0 ? "" : ", " + progress.failed() + " failed"));
        String counters = campaign.environment().settings().get(ProcessorCounters.SETTING);
        if (counters != null) {
            text.append("processor counters: ").append(counters).append('\n');
        }
        for (PointResult point : analysis.points()) {
            text.append('\n');
            point(text, campaign, point);
        }
        return text.toString();
    }

    /** Lists the repeated runs with their reasons. */
    static String replaced(List<Run> replaced) {
        StringBuilder text = new StringBuilder();
        for (Run run : replaced) {
            text.append(String.format(
                    Locale.ROOT,
                    "%s at %s, round %d, was repeated: %s\n",
                    run.driver(),
                    run.point(),
                    run.round() + 1,
                    run.failure() == null ? "it was measured again" : run.failure()));
        }
        return text.toString();
    }

    private static void point(StringBuilder text, Campaign campaign, PointResult point) {
        List<Metric> extra = EXTRA.stream()
                .filter(metric -> point.drivers().stream()
                        .anyMatch(driver -> driver.medians().containsKey(metric)))
                .toList();
        text.append(String.format(Locale.ROOT, "%s\n", point.point().label()));
        List<List<String>> rows = new ArrayList<>();
        Metric judgedBy = point.judgedBy();
        String ratio = judgedBy == Metric.RATE ? "ratio" : judgedBy.title() + " ratio";
        List<String> titles =
                new ArrayList<>(List.of("driver", "records/s", ratio, "interval", "CPU s/million", "B/record"));
        List<Column> blocking = FIGURES.stream()
                .filter(column -> point.drivers().stream()
                        .anyMatch(driver -> driver.metrics().containsKey(column.figure())))
                .toList();
        blocking.forEach(column -> titles.add(column.title()));
        extra.forEach(metric -> titles.add(TITLES.getOrDefault(metric, metric.title())));
        titles.add(judgedBy.title() + " against " + campaign.baseline());
        rows.add(titles);
        for (DriverResult driver : point.drivers()) {
            rows.add(row(campaign, driver, judgedBy, blocking, extra));
        }
        table(text, rows);
        Double noise = point.noise().get(judgedBy);
        if (noise != null) {
            text.append(
                    Double.isInfinite(noise)
                            ? "  noise (A/A): not known here, so no difference is claimed\n"
                            : String.format(
                                    Locale.ROOT,
                                    "  noise (A/A): ratios from %.2f to %.2f show no difference\n",
                                    1 / noise,
                                    noise));
        }
        for (DriverResult driver : point.drivers()) {
            notes(text, driver);
        }
    }

    private static List<String> row(
            Campaign campaign, DriverResult driver, Metric judgedBy, List<Column> blocking, List<Metric> extra) {
        Comparison judged = driver.comparisons().get(judgedBy);
        boolean baseline = driver.driver().equals(campaign.baseline());
        List<String> row = new ArrayList<>();
        row.add(driver.driver());
        row.add(Figures.orMore(Figures.of(driver.medians().get(Metric.RATE)), driver.isBound(Metric.RATE)));
        row.add(
                judged == null
                        ? (baseline ? "1" : "-")
                        : Figures.orMore(Figures.ofRatio(judged.interval().ratio()), judged.isBound()));
        row.add(judged == null ? "" : interval(judged.interval()));
        row.add(Figures.of(driver.medians().get(Metric.CPU)));
        row.add(Figures.of(driver.medians().get(Metric.ALLOCATED)));
        blocking.forEach(column -> row.add(Figures.of(driver.metrics().get(column.figure()))));
        extra.forEach(metric -> row.add(Figures.of(driver.medians().get(metric))));
        row.add(baseline ? "baseline" : judged == null ? "not measured" : judged.words());
        return row;
    }

    static String interval(RatioInterval interval) {
        return interval.isBounded()
                ? Figures.ofRatio(interval.low()) + " - " + Figures.ofRatio(interval.high())
                : "one round";
    }

    private static void notes(StringBuilder text, DriverResult driver) {
        if (driver.isBound(Metric.RATE)) {
            text.append(String.format(
                    Locale.ROOT,
                    "  %s: limit: %s. Its rate is a bound, not quoted; CPU and bytes are its own\n",
                    driver.driver(),
                    DriverResult.LIMIT));
            surroundings(text, driver);
        }
        driver.flags()
                .forEach((flag, runs) -> text.append(String.format(
                        Locale.ROOT,
                        "  %s: %s in %d of %d runs%s\n",
                        driver.driver(),
                        flag.text(),
                        runs,
                        driver.runs().size(),
                        flag.isVoiding() ? ", not quoted" : "")));
        Ledger ledger = driver.ledger();
        unclean(text, driver.driver(), ledger);
        unclean(text, driver.driver(), "group", ledger.groups());
        unclean(text, driver.driver(), "topic", ledger.topics());
        if (ledger.retried() > 0) {
            text.append(String.format(
                    Locale.ROOT,
                    "  %s: %,d calls of handlers failed and were repeated, for %,d records\n",
                    driver.driver(),
                    ledger.retried(),
                    ledger.expected()));
        }
        if (ledger.redelivered() > 0) {
            text.append(String.format(
                    Locale.ROOT,
                    "  %s: %,d redeliveries, which are allowed, for %,d records\n",
                    driver.driver(),
                    ledger.redelivered(),
                    ledger.expected()));
        }
        for (Run run : driver.runs()) {
            if (run.failure() != null) {
                text.append(String.format(
                        Locale.ROOT, "  %s: round %d failed: %s\n", driver.driver(), run.round() + 1, run.failure()));
            }
            text.append(TimelineReport.text(run));
        }
    }

    private static void unclean(StringBuilder text, String driver, String what, List<Ledger> several) {
        for (int i = 0; i < several.size(); i++) {
            unclean(text, driver + ", " + what + " " + (i + 1) + " of " + several.size(), several.get(i));
        }
    }

    private static void unclean(StringBuilder text, String whose, Ledger ledger) {
        if (!ledger.isClean()) {
            text.append(String.format(
                    Locale.ROOT,
                    "  %s: %,d lost, %,d duplicates, %,d out of order of %,d\n",
                    whose,
                    ledger.lost(),
                    ledger.duplicates(),
                    ledger.outOfOrder(),
                    ledger.expected()));
        }
    }

    /**
     * Appends the figures that locate a bottleneck: the time of each stage of a request, and the load of the machine.
     */
    private static void surroundings(StringBuilder text, DriverResult driver) {
        Map<String, Double> figures = driver.metrics();
        List<String> parts = new ArrayList<>();
        for (String request : List.of("fetch", "produce")) {
            Double total = figures.get("broker: " + request + " total ms");
            if (total != null) {
                parts.add("a " + request + " took " + Figures.of(total) + " ms: "
                        + Stream.of("queued", "local", "remote", "answer queued", "sending")
                                .map(part ->
                                        Figures.of(figures.get("broker: " + request + " " + part + " ms")) + " " + part)
                                .collect(Collectors.joining(", ")));
            }
        }
        Double busy = figures.get("host: busy %");
        if (busy != null) {
            parts.add("machine " + Math.round(busy) + " % busy");
        }
        if (!parts.isEmpty()) {
            text.append("    ").append(String.join("; ", parts)).append('\n');
        }
    }

    private static void table(StringBuilder text, List<List<String>> rows) {
        int[] widths = new int[rows.getFirst().size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                boolean words = i == 0 || i == widths.length - 1;
                String cell = row.get(i);
                String fill = " ".repeat(widths[i] - cell.length());
                line.append("  ").append(words ? cell + fill : fill + cell);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
    }
}
