package dev.weir.bench.command;

import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.statistics.Analysis;
import dev.weir.bench.statistics.Difference;
import dev.weir.bench.statistics.RatioInterval;
import dev.weir.command.terminal.ExitCode;
import dev.weir.command.terminal.JsonLines;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code weir bench results diff}. */
@Command(
        name = "diff",
        sortOptions = false,
        description = {
            "Compare the ratios of two campaigns, point by point and driver by driver.",
            "A difference is claimed where the intervals do not overlap, and only where the noise of the two campaigns (A/A)"
                    + " does."
        })
final class ResultsDiffCommand implements Callable<Integer> {

    @ParentCommand
    private BenchResultsCommand results;

    @Parameters(index = "0", paramLabel = "A", description = "The campaign before: its folder, or its name.")
    private Path before;

    @Parameters(index = "1", paramLabel = "B", description = "The campaign after.")
    private Path after;

    @Option(names = "--json", description = "Print one JSON object per point, driver and metric.")
    private boolean json;

    @Override
    public Integer call() {
        ResultsFolder a = BenchResultsCommand.open(before);
        ResultsFolder b = BenchResultsCommand.open(after);
        List<Difference> all = BenchResultsCommand.read(() -> Difference.between(Analysis.of(a), Analysis.of(b)));
        JsonLines lines = new JsonLines(results.weir().out());
        for (Difference each : all) {
            if (json) {
                lines.write(line -> {
                    line.writeStringField("type", "diff");
                    line.writeStringField("point", each.point().id());
                    line.writeStringField("driver", each.driver());
                    line.writeStringField("metric", label(each.metric()));
                    line.writeNumberField("before", each.before().ratio());
                    line.writeNumberField("after", each.after().ratio());
                    line.writeNumberField(
                            "change", each.after().ratio() / each.before().ratio());
                    line.writeStringField("verdict", label(each.kind()));
                    line.writeStringField("why", each.why());
                });
            } else {
                results.weir()
                        .out()
                        .printf(
                                Locale.ROOT,
                                "%s %s %s: %s, then %s: %s%s%n",
                                each.point().label(),
                                each.driver(),
                                each.metric().title(),
                                interval(each.before()),
                                interval(each.after()),
                                label(each.kind()).replace('-', ' '),
                                each.why().isEmpty() ? "" : " (" + each.why() + ")");
            }
        }
        results.weir().out().flush();
        return ExitCode.DONE;
    }

    private static String interval(RatioInterval interval) {
        return interval.isBounded()
                ? String.format(Locale.ROOT, "%.3f [%.3f, %.3f]", interval.ratio(), interval.low(), interval.high())
                : String.format(Locale.ROOT, "%.3f of one round", interval.ratio());
    }

    private static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
