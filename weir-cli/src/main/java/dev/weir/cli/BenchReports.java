package dev.weir.cli;

import dev.weir.bench.report.Reports;
import dev.weir.bench.result.ResultsFolder;

/** Writes the reports of a results folder, and prints the one that was asked for. Stateless. */
final class BenchReports {

    private BenchReports() {}

    static void print(Main weir, ResultsFolder folder, boolean json) {
        weir.out().print(Reports.all(folder, json));
        weir.out().flush();
        weir.terminal().note("report: " + folder.path().resolve(Reports.HTML));
    }
}
