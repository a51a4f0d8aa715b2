package dev.weir.bench.command;

import dev.weir.bench.report.ExploredReport;
import dev.weir.bench.report.Reports;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.command.terminal.ExitCode;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code weir bench results show}. */
@Command(name = "show", description = "Print the tables of a campaign, finished or not. Writes nothing.")
final class ResultsShowCommand implements Callable<Integer> {

    @ParentCommand
    private BenchResultsCommand results;

    @Parameters(
            paramLabel = "RUN",
            description = "The results folder of a campaign, or of several, or its name in bench-results.")
    private Path run;

    @Option(names = "--json", description = "Print one JSON object per point and driver, and a summary.")
    private boolean json;

    @Override
    public Integer call() {
        for (ResultsFolder folder : BenchResultsCommand.openAll(run)) {
            results.weir()
                    .out()
                    .print(BenchResultsCommand.read(() -> json
                            ? ExploredReport.lines(folder) + Reports.lines(folder)
                            : ExploredReport.text(folder) + Reports.text(folder)));
        }
        results.weir().out().flush();
        return ExitCode.DONE;
    }
}
