package dev.weir.bench.report;

import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.statistics.Analysis;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Creates the reports of a results folder. Stateless; thread-safe unless two threads write to the same folder. */
public final class Reports {

    /** The name of the file that {@link #html} writes. */
    public static final String HTML = "report.html";

    private Reports() {}

    /** Writes the page of the campaign, {@code report.html}. The page is a single file and works without a network. */
    public static Path html(ResultsFolder folder) {
        return html(folder, Analysis.of(folder));
    }

    /**
     * Writes {@code comparison.csv}, {@code runs.csv}, {@code intervals.csv}, {@code series.csv}, {@code latency.csv}
     * and {@code metrics.csv}, for other tools.
     */
    public static List<Path> csv(ResultsFolder folder) {
        return csv(folder, Analysis.of(folder));
    }

    /**
     * Returns a line of JSON for each point and driver, and a summary as the last line. Also writes them to
     * {@code summary.jsonl}.
     */
    public static String json(ResultsFolder folder) {
        return json(folder, Analysis.of(folder));
    }

    /** Returns the same text as {@link #json} but writes no file. */
    public static String lines(ResultsFolder folder) {
        return lines(folder, Analysis.of(folder));
    }

    /** Returns a table per point, for a terminal of 100 columns. */
    public static String text(ResultsFolder folder) {
        return text(folder, Analysis.of(folder));
    }

    /** Writes all files and returns the same text as {@link #json} or {@link #text}. Analyses the runs only once. */
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

    /** Returns the lines. Replaced attempts come first, and the summary comes last. */
    private static String lines(ResultsFolder folder, Analysis analysis) {
        return JsonReport.replaced(folder.replaced()) + JsonReport.lines(analysis);
    }

    /**
     * Writes {@code timeline.yaml}, which contains the changes made during runs and can be pasted into a workload file.
     * Writes no file if no run was changed.
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
