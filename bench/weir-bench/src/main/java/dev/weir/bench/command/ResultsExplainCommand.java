package dev.weir.bench.command;

import dev.weir.bench.report.ExplainedReport;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.command.terminal.ExitCode;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code weir bench results explain}. */
@Command(
        name = "explain",
        sortOptions = false,
        description = {
            "Name what limited each driver at each point, with the figures that show it. Writes nothing.",
            "If no figure shows another limit, the library itself is the limit."
        })
final class ResultsExplainCommand implements Callable<Integer> {

    @ParentCommand
    private BenchResultsCommand results;

    @Parameters(
            paramLabel = "RUN",
            description = "The results folder of a campaign, or of several, or its name in bench-results.")
    private Path run;

    @Option(names = "--json", description = "Print one JSON object per point and driver.")
    private boolean json;

    @Override
    public Integer call() {
        for (ResultsFolder folder : BenchResultsCommand.openAll(run)) {
            results.weir()
                    .out()
                    .print(BenchResultsCommand.read(
                            () -> json ? ExplainedReport.lines(folder) : ExplainedReport.text(folder)));
        }
        results.weir().out().flush();
        return ExitCode.DONE;
    }
}
