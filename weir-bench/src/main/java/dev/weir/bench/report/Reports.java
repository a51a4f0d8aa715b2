package dev.weir.bench.report;

import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.statistics.Analysis;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Makes the reports of a results folder. Stateless, thread-safe as far as nobody writes to the same folder meanwhile. */
public final class Reports {

    private Reports() {}

    /** The page of the campaign, {@code report.html}: one file, works without a network. */
    public static Path html(ResultsFolder folder) {
        return folder.write("report.html", HtmlReport.of(Analysis.of(folder)).getBytes(StandardCharsets.UTF_8));
    }

    /** {@code comparison.csv}, {@code runs.csv}, {@code intervals.csv} and {@code latency.csv}, for other tools. */
    public static List<Path> csv(ResultsFolder folder) {
        return CsvReport.of(Analysis.of(folder)).entrySet().stream()
                .map(file -> folder.write(file.getKey(), file.getValue().getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    /** A line of JSON for each point and driver, the last line sums up; also kept as {@code summary.jsonl}. */
    public static String json(ResultsFolder folder) {
        String lines = JsonReport.lines(Analysis.of(folder));
        folder.write("summary.jsonl", lines.getBytes(StandardCharsets.UTF_8));
        return lines;
    }

    /** A table per point, for a terminal of 100 columns. */
    public static String text(ResultsFolder folder) {
        return TextReport.of(Analysis.of(folder));
    }
}
