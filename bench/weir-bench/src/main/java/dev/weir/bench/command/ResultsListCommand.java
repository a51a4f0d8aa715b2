package dev.weir.bench.command;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.command.terminal.ExitCode;
import dev.weir.command.terminal.JsonLines;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code weir bench results list}. */
@Command(name = "list", description = "List the campaigns of a folder.")
final class ResultsListCommand implements Callable<Integer> {

    @ParentCommand
    private BenchResultsCommand results;

    @Parameters(
            arity = "0..1",
            paramLabel = "FOLDER",
            defaultValue = "bench-results",
            description = "Folder to search. Default: ${DEFAULT-VALUE}")
    private Path folder;

    @Option(names = "--json", description = "Print one JSON object per campaign.")
    private boolean json;

    @Override
    public Integer call() {
        List<ResultsFolder> all = results.below(folder, Function.identity());
        if (json) {
            JsonLines lines = new JsonLines(results.weir().out());
            all.forEach(each -> lines.write(line -> {
                Campaign campaign = each.campaign();
                line.writeStringField("type", "results");
                line.writeStringField("run", each.path().toString());
                line.writeStringField("campaign", campaign.id());
                line.writeStringField("name", campaign.name());
                line.writeStringField("baseline", campaign.baseline());
                line.writeArrayFieldStart("drivers");
                for (Driver driver : campaign.drivers()) {
                    line.writeString(driver.name());
                }
                line.writeEndArray();
                line.writeNumberField("points", campaign.points().size());
                line.writeNumberField("rounds", campaign.rounds());
                line.writeNumberField("runsDone", done(each));
                line.writeNumberField("runsPlanned", planned(each));
                line.writeBooleanField("complete", done(each) == planned(each));
                line.writeStringField("commit", campaign.environment().commit());
                line.writeNumberField("startedAtMillis", campaign.environment().startedAtMillis());
            }));
        } else {
            all.forEach(each -> results.weir()
                    .out()
                    .printf(
                            Locale.ROOT,
                            "%-60s %3d of %3d runs, %d points, %d drivers against %s%n",
                            each.path(),
                            done(each),
                            planned(each),
                            each.campaign().points().size(),
                            each.campaign().drivers().size(),
                            each.campaign().baseline()));
            if (all.isEmpty()) {
                results.weir().terminal().note("no campaign in " + folder + "; 'weir bench compare' makes one");
            }
        }
        results.weir().out().flush();
        return ExitCode.DONE;
    }

    private static long done(ResultsFolder folder) {
        return folder.runs().stream().filter(run -> run.failure() == null).count();
    }

    /**
     * Returns the number of planned runs. Once an adaptive campaign has runs, only their points count, because it has
     * not chosen its later points yet.
     */
    private static long planned(ResultsFolder folder) {
        Campaign campaign = folder.campaign();
        long begun = folder.runs().stream().map(Run::point).distinct().count();
        long points = campaign.choosesPoints() && begun > 0
                ? begun
                : campaign.points().size();
        return campaign.rounds() * points * campaign.drivers().size();
    }
}
