package dev.weir.cli;

import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.statistics.Analysis;
import dev.weir.bench.statistics.Comparison;
import dev.weir.bench.statistics.DriverResult;
import dev.weir.bench.statistics.Metric;
import dev.weir.bench.statistics.PointResult;
import java.util.Locale;

/** Prints what a results folder shows: a line per point and driver, as text or JSON. Stateless. */
final class BenchReports {

    private BenchReports() {}

    static void print(Main weir, ResultsFolder folder, boolean json) {
        Analysis analysis = Analysis.of(folder);
        for (PointResult point : analysis.points()) {
            for (DriverResult driver : point.drivers()) {
                if (json) {
                    json(weir.json(), point, driver);
                } else {
                    weir.out().println(text(point, driver));
                }
            }
        }
        if (json) {
            weir.json().write(out -> {
                out.writeStringField("campaign", analysis.campaign().id());
                out.writeStringField("baseline", analysis.campaign().baseline());
                out.writeNumberField("runs", folder.runs().size());
                out.writeStringField("folder", folder.path().toString());
            });
        }
        weir.out().flush();
        weir.terminal().note("results: " + folder.path());
    }

    private static void json(JsonLines lines, PointResult point, DriverResult driver) {
        Comparison rate = driver.comparisons().get(Metric.RATE);
        lines.write(out -> {
            out.writeStringField("point", point.point().id());
            out.writeStringField("driver", driver.driver());
            out.writeNumberField("runs", driver.runs().size());
            out.writeNumberField("quoted", driver.quoted());
            out.writeNumberField("records_per_second", median(driver, Metric.RATE));
            out.writeNumberField("cpu_seconds_per_million", median(driver, Metric.CPU));
            out.writeNumberField("allocated_bytes_per_record", median(driver, Metric.ALLOCATED));
            if (rate != null) {
                out.writeNumberField("ratio", rate.interval().ratio());
                out.writeNumberField("ratio_low", rate.interval().low());
                out.writeNumberField("ratio_high", rate.interval().high());
                out.writeStringField("verdict", rate.verdict().name().toLowerCase(Locale.ROOT));
            }
        });
    }

    private static String text(PointResult point, DriverResult driver) {
        Comparison rate = driver.comparisons().get(Metric.RATE);
        return String.format(
                Locale.ROOT,
                "%-24s %-18s %,12.0f/s  %s  %.3f CPU s per million  %.0f B per record  %d of %d runs%s",
                point.point().id(),
                driver.driver(),
                median(driver, Metric.RATE),
                rate == null
                        ? " ".repeat(21)
                        : String.format(
                                Locale.ROOT,
                                "%.2f [%.2f .. %.2f]",
                                rate.interval().ratio(),
                                rate.interval().low(),
                                rate.interval().high()),
                median(driver, Metric.CPU),
                median(driver, Metric.ALLOCATED),
                driver.quoted(),
                driver.runs().size(),
                driver.flags().isEmpty() ? "" : " " + driver.flags());
    }

    private static double median(DriverResult driver, Metric metric) {
        return driver.medians().getOrDefault(metric, Double.NaN);
    }
}
