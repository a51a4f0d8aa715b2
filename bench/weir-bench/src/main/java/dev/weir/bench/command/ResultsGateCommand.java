package dev.weir.bench.command;

import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.statistics.Gate;
import dev.weir.bench.statistics.Gate.Outcome;
import dev.weir.bench.statistics.RatioInterval;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.ExitCode;
import dev.weir.command.terminal.JsonLines;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/**
 * {@code weir bench results gate}: checks a campaign against a rule. Its exit code fails a CI build if the rule is not
 * met.
 */
@Command(
        name = "gate",
        sortOptions = false,
        description = {
            "Judge a campaign by a rule such as \"weir rate >= 1.3 of plain\", held at each of its points.",
            "The worse end of the driver's 95 %% interval counts. Exit code 3 if the rule is not met."
        })
final class ResultsGateCommand implements Callable<Integer> {

    @ParentCommand
    private BenchResultsCommand results;

    @Parameters(index = "0", paramLabel = "RUN", description = "The campaign: its folder, or its name.")
    private Path run;

    @Parameters(
            index = "1",
            paramLabel = "RULE",
            description =
                    "DRIVER METRIC >=|<= NUMBER of DRIVER; metrics are rate, cpu, allocated, broker-cpu, p50, p99, p999"
                            + " and more.")
    private String rule;

    @Option(names = "--json", description = "Print a JSON object per point, and one for the whole.")
    private boolean json;

    @Override
    public Integer call() {
        Gate gate = rule();
        ResultsFolder folder = BenchResultsCommand.open(run);
        List<Outcome> outcomes = BenchResultsCommand.read(() -> gate.judge(folder));
        boolean passed = outcomes.stream().allMatch(Outcome::passed);
        JsonLines lines = new JsonLines(results.weir().out());
        for (Outcome each : outcomes) {
            if (!json) {
                results.weir()
                        .out()
                        .printf(
                                Locale.ROOT,
                                "%s: %s%s%s%n",
                                each.point().label(),
                                each.passed() ? "met" : "NOT MET",
                                text(each.interval()),
                                each.why().isEmpty() ? "" : ": " + each.why());
            } else if (outcomes.size() > 1) {
                write(lines, "gatePoint", each, each.passed());
            }
        }
        if (json) {
            outcomes.stream()
                    .min(Comparator.comparing(Outcome::passed).thenComparingDouble(each -> margin(gate, each)))
                    .ifPresent(worst -> write(lines, "gate", worst, passed));
        }
        results.weir().out().flush();
        return passed ? ExitCode.DONE : ExitCode.GATE_NOT_MET;
    }

    private Gate rule() {
        try {
            return Gate.parse(rule);
        } catch (IllegalArgumentException e) {
            throw CliFailure.usage(String.valueOf(e.getMessage()), "");
        }
    }

    /** Returns the ratio and its interval; empty if there are too few rounds for an interval. */
    private static String text(RatioInterval interval) {
        return interval.isBounded()
                ? String.format(
                        Locale.ROOT, ", ratio %.3f [%.3f, %.3f]", interval.ratio(), interval.low(), interval.high())
                : "";
    }

    /** Ranks outcomes: a smaller value is worse. */
    private static double margin(Gate gate, Outcome outcome) {
        return gate.least() ? outcome.interval().low() : -outcome.interval().high();
    }

    private void write(JsonLines lines, String type, Outcome outcome, boolean passed) {
        lines.write(line -> {
            RatioInterval interval = outcome.interval();
            line.writeStringField("type", type);
            line.writeStringField("rule", rule.strip());
            line.writeStringField("point", outcome.point().id());
            line.writeNumberField("rounds", interval.rounds());
            // Infinity and NaN are not valid JSON.
            for (var each : List.of(
                    new Figure("ratio", interval.ratio()),
                    new Figure("low", interval.low()),
                    new Figure("high", interval.high()))) {
                line.writeFieldName(each.name());
                if (interval.isBounded() && Double.isFinite(each.value())) {
                    line.writeNumber(each.value());
                } else {
                    line.writeNull();
                }
            }
            line.writeBooleanField("passed", passed);
            line.writeStringField("why", outcome.why());
        });
    }

    private record Figure(String name, double value) {}
}
