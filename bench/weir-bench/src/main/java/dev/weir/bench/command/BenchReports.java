package dev.weir.bench.command;

import dev.weir.bench.report.Reports;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.command.terminal.CommandContext;
import java.io.UncheckedIOException;

/** Writes the reports of a results folder, and prints the requested one. Stateless. */
final class BenchReports {

    private BenchReports() {}

    /** Prints the requested report. Returns whether all files could be written. */
    static boolean print(CommandContext weir, ResultsFolder folder, boolean json) {
        try {
            weir.out().print(Reports.all(folder, json));
            weir.terminal().note("report: " + folder.path().resolve(Reports.HTML));
            return true;
        } catch (UncheckedIOException e) { // thrown, for example, if the disk is full
            weir.out().print(json ? Reports.lines(folder) : Reports.text(folder));
            weir.terminal()
                    .note(e.getMessage() + "; the results are whole, and 'weir bench report " + folder.path()
                            + "' makes the report of them once it can be written");
            return false;
        } finally {
            weir.out().flush();
        }
    }
}
