package dev.weir.bench.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.bench.explain.Explanation;
import dev.weir.bench.explain.Explanations;
import dev.weir.bench.figures.SeriesBook;
import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Environment;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.Run;
import dev.weir.bench.statistics.Analysis;
import dev.weir.bench.statistics.DriverResult;
import dev.weir.bench.statistics.Latencies;
import dev.weir.bench.statistics.Metric;
import dev.weir.bench.statistics.PointResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/**
 * The results of a campaign as one HTML page that contains its style, script, chart library and data. The data is JSON
 * that the script reads. Stateless, thread-safe.
 */
final class HtmlReport {

    /** Largest number of values in a chart's series. Adjacent intervals are merged if there are more. */
    private static final int MAX_SERIES = 400;

    private HtmlReport() {}

    /**
     * Returns the page.
     *
     * @param latencies returns the latency log of a run; empty if the run has none
     */
    static String of(Analysis analysis, Function<Run, List<Histogram>> latencies) {
        return page("report", data(analysis, latencies));
    }

    static String page(String name, ObjectNode data) {
        // Escapes every "<", which could end the script element. JSON parsers undo the escape.
        String text = JsonReport.write(data).replace("<", "\\u003c");
        // Remove the name of the source map, so that developer tools do not request the map.
        String charts = resource("chartjs/chart.umd.min.js").replaceAll("(?m)^//# sourceMappingURL=.*$", "");
        return resource(name + ".html")
                .replace("/*STYLE*/", resource("report.css"))
                .replace("/*LICENCE*/", resource("chartjs/LICENSE.md"))
                .replace("/*CHARTS*/", charts)
                .replace("/*COMMON*/", resource("charts.js"))
                .replace("/*SCRIPT*/", resource(name + ".js"))
                .replace("/*DATA*/", text);
    }

    private static ObjectNode data(Analysis analysis, Function<Run, List<Histogram>> latencies) {
        Campaign campaign = analysis.campaign();
        ObjectNode data = JsonReport.summary(analysis);
        data.put("workload", campaign.workload());
        data.put("rounds", campaign.rounds());
        data.put("seed", campaign.seed());
        data.put("margin", Analysis.MARGIN);
        data.put("minRounds", Analysis.MIN_ROUNDS);
        environment(data.putObject("environment"), campaign.environment());
        ArrayNode drivers = data.putArray("drivers");
        campaign.drivers().forEach(driver -> {
            ObjectNode node = drivers.addObject().put("name", driver.name()).put("version", driver.version());
            ObjectNode settings = node.putObject("settings");
            driver.settings().forEach(settings::put);
        });
        ArrayNode metrics = data.putArray("metrics");
        for (Metric metric : Metric.values()) {
            metric(metrics.addObject(), metric);
        }
        ArrayNode points = data.putArray("points");
        Iterator<Explanation> explanations = Explanations.of(analysis).iterator();
        analysis.points().forEach(point -> point(points.addObject(), point, latencies, explanations));
        return data;
    }

    static void metric(ObjectNode node, Metric metric) {
        node.put("name", JsonReport.name(metric))
                .put("title", metric.title())
                .put("unit", metric.unit())
                .put("higherIsBetter", metric.higherIsBetter());
    }

    private static void environment(ObjectNode node, Environment environment) {
        node.put("jvm", environment.jvm());
        node.put("os", environment.os());
        node.put("processor", environment.processor());
        node.put("cores", environment.cores());
        node.put("memoryBytes", environment.memoryBytes());
        node.put("commit", environment.commit());
        node.put("startedAtMillis", environment.startedAtMillis());
        ObjectNode versions = node.putObject("versions");
        environment.versions().forEach(versions::put);
        ObjectNode settings = node.putObject("settings");
        environment.settings().forEach(settings::put);
    }

    private static void point(
            ObjectNode node,
            PointResult point,
            Function<Run, List<Histogram>> latencies,
            Iterator<Explanation> explanations) {
        node.put("id", point.point().id());
        node.put("label", point.point().label());
        node.put("scenario", point.point().scenario());
        node.put("judgedBy", JsonReport.name(point.judgedBy()));
        ObjectNode dimensions = node.putObject("dimensions");
        point.point().dimensions().forEach(dimensions::put);
        ObjectNode noise = node.putObject("noise");
        point.noise().forEach((metric, factor) -> JsonReport.put(noise, JsonReport.name(metric), factor));
        ArrayNode drivers = node.putArray("drivers");
        for (DriverResult driver : point.drivers()) {
            ObjectNode result = JsonReport.driver(driver);
            Explanation explanation = explanations.next();
            JsonReport.put(result, explanation.limiter());
            result.put("explanation", explanation.sentence());
            explanation.evidence().forEach(result.putArray("evidence")::add);
            ObjectNode curves = result.putObject("curves");
            for (String tag : List.of(LatencyTags.RESPONSE, LatencyTags.SERVICE, LatencyTags.LATENESS)) {
                Histogram histogram = driver.latencies().get(tag);
                if (histogram != null) {
                    ArrayNode curve = curves.putArray(tag);
                    Curve.of(histogram)
                            .forEach(c -> curve.addArray().add(c.percentile()).add(c.millis()));
                }
            }
            ArrayNode rounds = result.putArray("rounds");
            driver.runs().forEach(run -> run(rounds.addObject(), run, latencies.apply(run)));
            drivers.add(result);
        }
    }

    private static void run(ObjectNode node, Run run, List<Histogram> latencies) {
        node.put("round", run.round());
        node.put("order", run.order());
        node.put("quoted", run.isValid());
        node.put("failure", run.failure());
        ArrayNode flags = node.putArray("flags");
        run.flags().forEach(flag -> flags.add(flag.text()));
        TimelineReport.put(node, run);
        JsonReport.put(node, "recordsPerSecond", run.totals().recordsPerSecond());
        int step = Math.ceilDiv(Math.max(1, run.intervals().size()), MAX_SERIES);
        node.put("warmUp", Math.ceilDiv(run.warmUpIntervals(), step));
        ObjectNode series = node.putObject("series");
        series(series, "seconds", run, step, slice -> slice.getFirst().startMillis() / 1e3);
        series(series, "rate", run, step, slice -> sum(slice, Interval::records) / seconds(slice));
        series(series, "lag", run, step, slice -> last(slice.getLast().lagRecords()));
        series(series, "cores", run, step, slice -> sum(slice, Interval::cpuNanos) / 1e9 / seconds(slice));
        series(series, "brokerCores", run, step, slice -> sum(slice, Interval::brokerCpuNanos) / 1e9 / seconds(slice));
        series(series, "allocated", run, step, slice -> sum(slice, Interval::allocatedBytes) / 1e6 / seconds(slice));
        series(series, "gc", run, step, slice -> sum(slice, Interval::gcMillis) / seconds(slice));
        series(series, "heap", run, step, slice -> last(slice.getLast().heapBytes()) / 1e6);
        series(series, "direct", run, step, slice -> last(slice.getLast().directBytes()) / 1e6);
        ArrayNode figures = node.putArray("figures");
        for (String name : names(run.intervals())) {
            figures.add(name);
            series(series, name, run, step, slice -> mean(slice, name));
        }
        LatencySeries responses = new LatencySeries(run.intervals(), latencies);
        seriesByIndex(series, "p50", run, step, (from, to) -> Latencies.percentileMillis(responses.of(from, to), 50));
        seriesByIndex(series, "p99", run, step, (from, to) -> Latencies.percentileMillis(responses.of(from, to), 99));
        seriesByIndex(series, "longest", run, step, (from, to) -> longestMillis(responses.of(from, to)));
    }

    static SortedSet<String> names(List<Interval> intervals) {
        SortedSet<String> names = new TreeSet<>();
        intervals.forEach(interval -> names.addAll(interval.figures().keySet()));
        return names;
    }

    private static double mean(List<Interval> slice, String name) {
        return SeriesBook.means(slice.stream().map(Interval::figures).toList()).getOrDefault(name, Double.NaN);
    }

    private static double longestMillis(Histogram histogram) {
        return histogram.getTotalCount() == 0 ? Double.NaN : histogram.getMaxValue() / 1e6;
    }

    /** Computes a figure for the intervals from {@code from} (inclusive) to {@code to} (exclusive). */
    private interface Figure {
        double of(int from, int to);
    }

    private static void series(
            ObjectNode node, String name, Run run, int step, ToDoubleFunction<List<Interval>> figure) {
        seriesByIndex(
                node,
                name,
                run,
                step,
                (from, to) -> figure.applyAsDouble(run.intervals().subList(from, to)));
    }

    private static void seriesByIndex(ObjectNode node, String name, Run run, int step, Figure figure) {
        ArrayNode values = JsonReport.JSON.createArrayNode();
        boolean any = false;
        for (int i = 0; i < run.intervals().size(); i += step) {
            double value = figure.of(i, Math.min(run.intervals().size(), i + step));
            if (Double.isFinite(value)) {
                values.add(Double.parseDouble(String.format(Locale.ROOT, "%.5g", value)));
                any = true;
            } else {
                values.addNull();
            }
        }
        if (any) {
            node.set(name, values);
        }
    }

    private static double sum(List<Interval> slice, ToLongFunction<Interval> count) {
        double sum = 0;
        for (Interval interval : slice) {
            long value = count.applyAsLong(interval);
            sum += value == Interval.UNKNOWN ? Double.NaN : value;
        }
        return sum;
    }

    private static double seconds(List<Interval> slice) {
        return slice.stream().mapToLong(Interval::lengthMillis).sum() / 1e3;
    }

    private static double last(long count) {
        return count == Interval.UNKNOWN ? Double.NaN : count;
    }

    private static String resource(String name) {
        try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not beside the classes of weir-bench: build it with Maven");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
