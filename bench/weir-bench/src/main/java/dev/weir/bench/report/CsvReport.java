package dev.weir.bench.report;

import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import dev.weir.bench.statistics.Analysis;
import dev.weir.bench.statistics.DriverResult;
import dev.weir.bench.statistics.PointResult;
import dev.weir.bench.statistics.RatioInterval;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The results of a campaign as CSV files (RFC 4180, but with \n as line break), one file per kind of data. Missing
 * figures are empty fields.
 */
final class CsvReport {

    private final Table comparison = new Table(
            "point,scenario,dimensions,driver,metric,unit,median,ratio,low,high,medianRatio,rounds,adjustedP,verdict,quoted,limit");
    private final Table runs = new Table(
            "point,driver,round,order,quoted,records,bytes,elapsedNanos,recordsPerSecond,"
                    + "cpuNanos,allocatedBytes,gcMillis,contextSwitches,brokerCpuNanos,lost,duplicates,outOfOrder,retried,redelivered,flags,failure");
    private final Table intervals =
            new Table("point,driver,round,measured,startMillis,lengthMillis,records,bytes,cpuNanos,"
                    + "allocatedBytes,gcMillis,lagRecords,heapBytes,directBytes,brokerCpuNanos");
    private final Table series = new Table("point,driver,round,measured,startMillis,figure,value");
    private final Table metrics = new Table("point,driver,round,quoted,metric,value");
    private final Table latency = new Table("point,driver,of,percentile,millis");

    private CsvReport() {}

    static Map<String, String> of(Analysis analysis) {
        CsvReport csv = new CsvReport();
        for (PointResult point : analysis.points()) {
            for (DriverResult driver : point.drivers()) {
                csv.add(point, driver);
                driver.runs().forEach(csv::add);
            }
        }
        Map<String, String> files = new LinkedHashMap<>();
        files.put("comparison.csv", csv.comparison.toString());
        files.put("runs.csv", csv.runs.toString());
        files.put("intervals.csv", csv.intervals.toString());
        files.put("series.csv", csv.series.toString());
        files.put("latency.csv", csv.latency.toString());
        files.put("metrics.csv", csv.metrics.toString());
        return files;
    }

    private void add(PointResult at, DriverResult driver) {
        String point = at.point().id();
        driver.medians().forEach((metric, median) -> {
            var judged = driver.comparisons().get(metric);
            RatioInterval interval = judged == null ? null : judged.interval();
            comparison.row(
                    point,
                    at.point().scenario(),
                    at.point().dimensions().isEmpty() ? "" : at.point().label(),
                    driver.driver(),
                    metric.title(),
                    metric.unit(),
                    median,
                    interval == null ? null : interval.ratio(),
                    interval == null ? null : interval.low(),
                    interval == null ? null : interval.high(),
                    interval == null ? null : interval.medianRatio(),
                    interval == null ? null : interval.rounds(),
                    judged == null ? null : judged.adjustedP(),
                    judged == null ? null : JsonReport.name(judged.verdict()),
                    !driver.isBound(metric),
                    driver.isBound(metric) ? DriverResult.LIMIT : null);
        });
        driver.latencies().keySet().stream().sorted().forEach(tag -> {
            var histogram = driver.latencies().get(tag);
            if (histogram != null) {
                for (Curve c : Curve.of(histogram)) {
                    latency.row(point, driver.driver(), tag, c.percentile(), c.millis());
                }
            }
        });
    }

    private void add(Run run) {
        Totals totals = run.totals();
        runs.row(
                run.point(),
                run.driver(),
                run.round(),
                run.order(),
                run.isValid(),
                totals.records(),
                totals.bytes(),
                totals.elapsedNanos(),
                totals.recordsPerSecond(),
                known(totals.cpuNanos()),
                known(totals.allocatedBytes()),
                known(totals.gcMillis()),
                known(totals.contextSwitches()),
                known(totals.brokerCpuNanos()),
                run.ledger().lost(),
                run.ledger().duplicates(),
                run.ledger().outOfOrder(),
                run.ledger().retried(),
                run.ledger().redelivered(),
                run.flags().stream().map(Flag::name).collect(Collectors.joining(" ")),
                run.failure());
        totals.metrics()
                .forEach((name, value) ->
                        metrics.row(run.point(), run.driver(), run.round(), run.isValid(), name, value));
        List<Interval> all = run.intervals();
        for (int i = 0; i < all.size(); i++) {
            Interval in = all.get(i);
            intervals.row(
                    run.point(),
                    run.driver(),
                    run.round(),
                    i >= run.warmUpIntervals(),
                    in.startMillis(),
                    in.lengthMillis(),
                    known(in.records()),
                    known(in.bytes()),
                    known(in.cpuNanos()),
                    known(in.allocatedBytes()),
                    known(in.gcMillis()),
                    known(in.lagRecords()),
                    known(in.heapBytes()),
                    known(in.directBytes()),
                    known(in.brokerCpuNanos()));
            boolean isMeasured = i >= run.warmUpIntervals();
            in.figures()
                    .forEach((name, value) -> series.row(
                            run.point(), run.driver(), run.round(), isMeasured, in.startMillis(), name, value));
        }
    }

    private static @Nullable Long known(long count) {
        return count == Interval.UNKNOWN ? null : count;
    }

    private static final class Table {
        private final StringBuilder csv;

        Table(String titles) {
            csv = new StringBuilder(titles).append('\n');
        }

        void row(@Nullable Object... cells) {
            for (int i = 0; i < cells.length; i++) {
                csv.append(i == 0 ? "" : ",").append(cell(cells[i]));
            }
            csv.append('\n');
        }

        private static String cell(@Nullable Object value) {
            if (value == null || (value instanceof Double d && !Double.isFinite(d))) {
                return "";
            }
            String text = value.toString();
            return text.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r')
                    ? '"' + text.replace("\"", "\"\"") + '"'
                    : text;
        }

        @Override
        public String toString() {
            return csv.toString();
        }
    }
}
