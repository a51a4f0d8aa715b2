package dev.weir.cli;

import dev.weir.bench.report.Reports;
import dev.weir.bench.result.ResultsFolder;
import java.nio.file.Path;

/** Writes the reports of a results folder, and prints the one that was asked for. Stateless. */
final class BenchReports {

    private BenchReports() {}

    static void print(Main weir, ResultsFolder folder, boolean json) {
        Path page = Reports.html(folder);
        Reports.csv(folder);
        String lines = Reports.json(folder);
        weir.out().print(json ? lines : Reports.text(folder));
        weir.out().flush();
        weir.terminal().note("report: " + page);
    }
}
