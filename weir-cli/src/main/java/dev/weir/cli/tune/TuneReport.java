package dev.weir.cli.tune;

import dev.weir.cli.pipeline.LimiterFields;
import dev.weir.cli.terminal.CommandContext;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.Printable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells each step of a tuning when it is measured, and the end: for people or as JSON. Confined to one thread. */
final class TuneReport {
    private static final int COLUMNS = 80;

    private final CommandContext weir;
    private final int events;
    private final boolean json;

    private int steps;
    private int takenBack;
    private double firstRate;

    /** Of the version that all the others were not better than. */
    private int bestStep;

    private double bestRate;

    TuneReport(CommandContext weir, int events, boolean json) {
        this.weir = weir;
        this.events = events;
        this.json = json;
    }

    void step(Outcome outcome) {
        steps = outcome.step();
        double rate = outcome.measured().recordsPerSecond();
        firstRate = steps == 1 ? rate : firstRate;
        if (outcome.isTakenBack()) {
            takenBack++;
        } else {
            bestStep = outcome.step();
            bestRate = rate;
        }
        if (json) {
            write(outcome);
            return;
        }
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add(head(outcome));
        LimiterFields.wrapped(outcome.version().change(), COLUMNS - 2).forEach(line -> lines.add("  " + line));
        String verdict = verdict(outcome);
        if (!verdict.isEmpty()) {
            LimiterFields.wrapped(verdict, COLUMNS - 2).forEach(line -> lines.add("  " + line));
        }
        LimiterFields.lines(outcome.measured().limiter(), COLUMNS - 2).forEach(line -> lines.add("  " + line));
        lines.forEach(weir.out()::println);
        weir.out().flush();
    }

    private void write(Outcome outcome) {
        weir.json().write(line -> {
            line.writeStringField("event", "step");
            line.writeNumberField("step", outcome.step());
            line.writeStringField("change", outcome.version().change());
            line.writeNumberField(
                    "records_per_second", Math.round(outcome.measured().recordsPerSecond()));
            line.writeNumberField("expected_gain", rounded(outcome.version().expectedGain()));
            line.writeNumberField("measured_gain", rounded(outcome.gain()));
            if (outcome.comparedWith() == 0) {
                line.writeNullField("compared_with");
            } else {
                line.writeNumberField("compared_with", outcome.comparedWith());
            }
            line.writeBooleanField("in_turns", outcome.inTurns());
            line.writeStringField("verdict", outcome.verdict().id());
            line.writeBooleanField("taken_back", outcome.isTakenBack());
            LimiterFields.write(line, outcome.measured().limiter());
        });
    }

    private static String head(Outcome outcome) {
        String head = "step %d  %,10d records/s"
                .formatted(outcome.step(), Math.round(outcome.measured().recordsPerSecond()));
        return outcome.comparedWith() == 0
                ? head
                : "%s   expected x %.2f   measured x %.2f"
                        .formatted(head, outcome.version().expectedGain(), outcome.gain());
    }

    /** Returns the verdict on an outcome that is not the hoped-for one. */
    private static String verdict(Outcome outcome) {
        String comparison =
                "%s step %d".formatted(outcome.inTurns() ? "in turns with" : "after", outcome.comparedWith());
        if (outcome.isTakenBack()) {
            return "took it back: %.2f%s, measured %s"
                    .formatted(
                            outcome.gain(),
                            outcome.verdict() == Outcome.Verdict.EQUAL ? " is no gain" : "",
                            comparison);
        }
        return outcome.verdict() == Outcome.Verdict.EQUAL
                ? "no gain: %.2f, measured %s; it stays, as its code alone is cheaper"
                        .formatted(outcome.gain(), comparison)
                : "";
    }

    /**
     * The end; what there is of it if the command was told to stop.
     *
     * @param flaw what is wrong with the last step's outputs, without a full stop; null if nothing is
     * @return the exit code
     */
    int summary(@Nullable String flaw, boolean stopped) {
        String failure = flaw == null ? null : "step %d: %s".formatted(steps, flaw);
        if (json) {
            weir.json().write(line -> {
                line.writeNumberField("events", events);
                line.writeNumberField("steps", steps);
                line.writeNumberField("taken_back", takenBack);
                line.writeNumberField("best_step", bestStep);
                line.writeNumberField("total_gain", rounded(totalGain()));
                if (failure == null && stopped && steps < 2) {
                    line.writeNullField("outputs_equal"); // Nothing was compared.
                } else {
                    line.writeBooleanField("outputs_equal", failure == null);
                }
                line.writeBooleanField("stopped", stopped);
                if (failure != null) {
                    line.writeStringField("error", failure);
                }
            });
            weir.errorIsTold();
        } else {
            weir.out().println();
            weir.out().println(failure == null ? verdict(stopped) : "FAILED: " + Printable.line(failure) + ".");
            weir.out().flush();
        }
        return failure == null ? ExitCode.DONE : ExitCode.FAILED;
    }

    private String verdict(boolean stopped) {
        String begin = stopped ? "stopped" : "OK";
        return switch (steps) {
            case 0 -> begin + ": no step was measured.";
            case 1 -> "%s: 1 step, %,d records/s; nothing to compare it with.".formatted(begin, Math.round(firstRate));
            default ->
                "%s: x %.1f in %d steps%s, from %,d to %,d records/s; all wrote the same bytes."
                        .formatted(
                                begin,
                                totalGain(),
                                steps,
                                takenBack == 0 ? "" : ", %d of them taken back".formatted(takenBack),
                                Math.round(firstRate),
                                Math.round(bestRate));
        };
    }

    private double totalGain() {
        return steps == 0 ? 1 : bestRate / firstRate;
    }

    private static double rounded(double gain) {
        return Math.round(gain * 100) / 100.0;
    }
}
