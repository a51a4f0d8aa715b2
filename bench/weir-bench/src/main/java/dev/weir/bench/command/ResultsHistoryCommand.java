package dev.weir.bench.command;

import dev.weir.bench.report.VersionsReport;
import dev.weir.bench.result.Campaign;
import dev.weir.bench.statistics.Analysis;
import dev.weir.bench.statistics.ChangePoints;
import dev.weir.bench.statistics.History;
import dev.weir.bench.statistics.History.Level;
import dev.weir.bench.statistics.History.Series;
import dev.weir.bench.statistics.History.Snapshot;
import dev.weir.bench.statistics.Metric;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.ExitCode;
import dev.weir.command.terminal.JsonLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/**
 * {@code weir bench results history}: finds changes in performance between the campaigns in a folder. Its exit code
 * makes a CI build fail if a driver got worse.
 */
@Command(
        name = "history",
        sortOptions = false,
        description = {
            "Show where figures changed across campaigns of a folder with one workload and one kind of machine.",
            "Exit code 3 if a driver is worse now than it was, by ratios to the baseline.",
            "With --versions or --html, show its figures over the versions of each library instead."
        })
final class ResultsHistoryCommand implements Callable<Integer> {

    @ParentCommand
    private BenchResultsCommand results;

    @Parameters(
            arity = "0..1",
            paramLabel = "FOLDER",
            defaultValue = "bench-results",
            description = "Folder of the campaigns. Default: ${DEFAULT-VALUE}")
    private Path folder;

    @Option(names = "--name", paramLabel = "NAME", description = "Only campaigns of that workload.")
    private @Nullable String name;

    @Option(
            names = "--metrics",
            paramLabel = "METRIC",
            split = ",",
            defaultValue = "rate,cpu,allocated,p99",
            description = "Metrics to compare. Default: ${DEFAULT-VALUE}")
    private List<String> metrics;

    @Option(
            names = "--accept",
            paramLabel = "CAMPAIGN",
            description = "Raise no alarm for what got worse with this campaign.")
    private @Nullable String accepted;

    @Option(
            names = "--least",
            paramLabel = "PERCENT",
            defaultValue = "5",
            description = "Smallest change that raises an alarm. Default: ${DEFAULT-VALUE}")
    private double leastPercent;

    @Option(names = "--versions", description = "Print a table of the figures by library version; raises no alarm.")
    private boolean versions;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write a page with a chart over the versions of each library; raises no alarm.")
    private @Nullable Path html;

    @Option(names = "--json", description = "Print a JSON object per series, and without --versions a summary.")
    private boolean json;

    @Override
    public Integer call() {
        Set<Metric> wanted = metrics();
        if (!(leastPercent >= 0)) {
            throw CliFailure.badValue("--least", leastPercent, "0 or more");
        }
        if (!Files.isDirectory(folder)) {
            throw CliFailure.usage("there is no folder " + folder, "Name the one that 'weir bench compare' wrote to.");
        }
        List<Snapshot> snapshots = BenchResultsCommand.read(() ->
                results.below(folder, each -> Snapshot.of(Analysis.of(each), wanted)).stream()
                        .filter(each -> name == null || each.campaign().name().equals(name))
                        .toList());
        if (snapshots.isEmpty() && name != null) {
            throw CliFailure.usage(
                    "no campaign of workload " + name + " in " + folder, "'weir bench results list' names them.");
        }
        List<History> histories = History.of(snapshots);
        if (histories.isEmpty()) {
            results.weir().terminal().note("no measured campaign in " + folder + "; 'weir bench compare' makes one");
        }
        if (versions || html != null) {
            return overVersions(histories);
        }
        return overTime(snapshots, histories);
    }

    private int overVersions(List<History> histories) {
        if (html != null) {
            Path page = html;
            try {
                Files.writeString(page, VersionsReport.html(histories));
            } catch (IOException e) {
                throw CliFailure.work(
                        "cannot write " + page + ": " + CliFailure.reason(e), "Name another file with --html.", e);
            }
            results.weir().terminal().note("page: " + page);
        }
        if (versions || json) {
            results.weir().out().print(json ? VersionsReport.lines(histories) : VersionsReport.text(histories));
        }
        results.weir().out().flush();
        return ExitCode.DONE;
    }

    private int overTime(List<Snapshot> snapshots, List<History> histories) {
        long acceptedMillis = acceptedMillis(snapshots);
        int alarms = 0;
        JsonLines lines = new JsonLines(results.weir().out());
        for (History history : histories) {
            if (!json) {
                head(history);
            }
            for (Series series : history.series()) {
                Level lost = series.lost(acceptedMillis, leastPercent / 100);
                alarms += lost == null ? 0 : 1;
                if (json) {
                    write(lines, history, series, lost);
                } else if (series.levels().size() > 1) {
                    print(series, lost);
                }
            }
        }
        int count = alarms;
        if (json) {
            lines.write(line -> {
                line.writeStringField("type", "historySummary");
                line.writeNumberField(
                        "campaigns",
                        histories.stream()
                                .mapToInt(each -> each.campaigns().size())
                                .sum());
                line.writeNumberField(
                        "series",
                        histories.stream()
                                .mapToInt(each -> each.series().size())
                                .sum());
                line.writeNumberField("alarms", count);
                if (count == 0 && histories.stream().allMatch(each -> longest(each) < ChangePoints.FEWEST)) {
                    line.writeNullField("passed"); // too few campaigns to tell
                } else {
                    line.writeBooleanField("passed", count == 0);
                }
            });
        }
        results.weir().out().flush();
        return alarms == 0 ? ExitCode.DONE : ExitCode.GATE_NOT_MET;
    }

    private Set<Metric> metrics() {
        try {
            Set<Metric> wanted = EnumSet.noneOf(Metric.class);
            metrics.forEach(each -> wanted.add(Metric.of(each)));
            return wanted;
        } catch (IllegalArgumentException e) {
            throw CliFailure.usage(String.valueOf(e.getMessage()), "");
        }
    }

    private long acceptedMillis(List<Snapshot> snapshots) {
        if (accepted == null) {
            return Long.MIN_VALUE;
        }
        return snapshots.stream()
                .map(Snapshot::campaign)
                .filter(each -> each.id().equals(accepted))
                .mapToLong(each -> each.environment().startedAtMillis())
                .findFirst()
                .orElseThrow(() -> CliFailure.usage(
                        "no campaign " + accepted + " in " + folder, "'weir bench results list' names them."));
    }

    private void head(History history) {
        Campaign newest = history.campaigns().getLast();
        long changed = history.series().stream()
                .filter(series -> series.levels().size() > 1)
                .count();
        results.weir()
                .out()
                .printf(
                        Locale.ROOT,
                        "%s on %d cores, %s: %d campaigns, %d figures, %d of them changed%s%n",
                        newest.name(),
                        newest.environment().cores(),
                        newest.environment().processor(),
                        history.campaigns().size(),
                        history.series().size(),
                        changed,
                        longest(history) < ChangePoints.FEWEST
                                ? "; it takes " + ChangePoints.FEWEST + " campaigns to see a change"
                                : "");
    }

    private static int longest(History history) {
        return history.series().stream()
                .mapToInt(series -> series.figures().size())
                .max()
                .orElse(0);
    }

    private void print(Series series, @Nullable Level lost) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "  %s %s %s%s: %.3f",
                series.point().label(),
                series.driver(),
                series.metric().title(),
                series.isRatio() ? "" : " in " + series.metric().unit(),
                series.levels().getFirst().value()));
        for (Level level : series.levels().subList(1, series.levels().size())) {
            text.append(String.format(
                    Locale.ROOT,
                    ", then %.3f from %s (commit %s)",
                    level.value(),
                    level.from().id(),
                    level.from().environment().commit()));
        }
        if (lost != null) {
            text.append(String.format(
                    Locale.ROOT,
                    ". ALARM: %+.1f %% against %s and after",
                    100 * (series.now().value() / lost.value() - 1),
                    lost.from().id()));
        }
        results.weir().out().println(text);
    }

    private static void write(JsonLines lines, History history, Series series, @Nullable Level lost) {
        lines.write(line -> {
            line.writeStringField("type", "history");
            line.writeStringField("name", history.campaigns().getLast().name());
            line.writeStringField("point", series.point().id());
            line.writeStringField("driver", series.driver());
            line.writeStringField("metric", series.metric().label());
            line.writeBooleanField("ratio", series.isRatio());
            line.writeNumberField("campaigns", series.figures().size());
            line.writeNumberField("adjustedP", series.adjustedP());
            line.writeArrayFieldStart("levels");
            for (Level level : series.levels()) {
                line.writeStartObject();
                line.writeStringField("from", level.from().id());
                line.writeStringField("commit", level.from().environment().commit());
                line.writeNumberField("campaigns", level.campaigns());
                line.writeNumberField("value", level.value());
                line.writeEndObject();
            }
            line.writeEndArray();
            line.writeBooleanField("alarm", lost != null);
            line.writeFieldName("change");
            if (lost == null) {
                line.writeNull();
            } else {
                line.writeNumber(series.now().value() / lost.value() - 1);
            }
        });
    }
}
