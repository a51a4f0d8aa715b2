package dev.weir.bench.report;

import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.statistics.Analysis;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Makes the reports of a results folder. Stateless, thread-safe unless the same folder is written concurrently. */
public final class Reports {

    /** The name of {@link #html}. */
    public static final String HTML = "report.html";

    private Reports() {}

    /** The page of the campaign, {@code report.html}: one file, works without a network. */
    public static Path html(ResultsFolder folder) {
        return html(folder, Analysis.of(folder));
    }

    /**
     * {@code comparison.csv}, {@code runs.csv}, {@code intervals.csv},
     * {@code latency.csv} and {@code metrics.csv}, for other tools.
     */
    public static List<Path> csv(ResultsFolder folder) {
        return csv(folder, Analysis.of(folder));
    }

    /** A line of JSON for each point and driver, the last line sums up; also kept as {@code summary.jsonl}. */
    public static String json(ResultsFolder folder) {
        return json(folder, Analysis.of(folder));
    }

    /** Returns the text of {@link #json}; keeps nothing. */
    public static String lines(ResultsFolder folder) {
        return lines(folder, Analysis.of(folder));
    }

    /** A table per point, for a terminal of 100 columns. */
    public static String text(ResultsFolder folder) {
        return text(folder, Analysis.of(folder));
    }

    /**
     * Creates all files, reading runs and histograms once, and returns the result of {@link #json} or {@link #text}.
     */
    public static String all(ResultsFolder folder, boolean json) {
        Analysis analysis = Analysis.of(folder);
        html(folder, analysis);
        csv(folder, analysis);
        timeline(folder);
        String lines = json(folder, analysis);
        return json ? lines : text(folder, analysis);
    }

    private static String text(ResultsFolder folder, Analysis analysis) {
        return TextReport.of(analysis) + TextReport.replaced(folder.replaced());
    }

    /** Replaced attempts come first, because the last line is the summary. */
    private static String lines(ResultsFolder folder, Analysis analysis) {
        return JsonReport.replaced(folder.replaced()) + JsonReport.lines(analysis);
    }

    /**
     * {@code timeline.yaml}: the orders executed during runs, for pasting into a workload file; not written without
     * orders.
     */
    private static void timeline(ResultsFolder folder) {
        String yaml = TimelineReport.yaml(folder.runs());
        if (!yaml.isEmpty()) {
            folder.write("timeline.yaml", yaml.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static Path html(ResultsFolder folder, Analysis analysis) {
        String page = HtmlReport.of(analysis, run -> folder.latencyIntervals(run.key()));
        return folder.write(HTML, page.getBytes(StandardCharsets.UTF_8));
    }

    private static List<Path> csv(ResultsFolder folder, Analysis analysis) {
        return CsvReport.of(analysis).entrySet().stream()
                .map(file -> folder.write(file.getKey(), file.getValue().getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    private static String json(ResultsFolder folder, Analysis analysis) {
        String lines = lines(folder, analysis);
        folder.write("summary.jsonl", lines.getBytes(StandardCharsets.UTF_8));
        return lines;
    }
}
