package dev.weir.bench.command;

import dev.weir.bench.result.ResultsFolder;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.ExitCode;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code weir bench report}: writes the reports of a folder again. */
@Command(name = "report", description = "Make the page, tables and summary of a results folder again, finished or not.")
final class BenchReportCommand implements Callable<Integer> {

    @ParentCommand
    private BenchCommand bench;

    @Parameters(paramLabel = "FOLDER", description = "The results folder of a campaign, or of several.")
    private Path folder;

    @Option(names = "--json", description = "Print one JSON object per point and driver, and a summary.")
    private boolean json;

    @Override
    public Integer call() {
        boolean whole = true;
        try {
            for (ResultsFolder results : BenchPlan.results(folder)) {
                whole &= BenchReports.print(bench.weir(), results, json);
            }
        } catch (IllegalArgumentException | UncheckedIOException e) {
            throw CliFailure.work(String.valueOf(e.getMessage()), "", e);
        }
        if (!whole) {
            bench.weir().tellError("a report could not be written");
        }
        return whole ? ExitCode.DONE : ExitCode.FAILED;
    }
}
