package dev.weir.cli.tune;

import dev.weir.cli.pipeline.LimiterFields;
import dev.weir.cli.terminal.CommandContext;
import dev.weir.cli.terminal.ExitCode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells each step of a tuning when it is measured, and the end: for people or as JSON. Confined to one thread. */
final class TuneReport {
    private static final int COLUMNS = 80;

    private final CommandContext weir;
    private final int events;
    private final boolean json;
    private final List<Double> rates = new ArrayList<>();

    TuneReport(CommandContext weir, int events, boolean json) {
        this.weir = weir;
        this.events = events;
        this.json = json;
    }

    void step(int step, Version version, Measurement measured) {
        double before = rates.isEmpty() ? measured.recordsPerSecond() : rates.getLast();
        double gain = measured.recordsPerSecond() / before;
        rates.add(measured.recordsPerSecond());
        if (json) {
            weir.json().write(line -> {
                line.writeStringField("event", "step");
                line.writeNumberField("step", step);
                line.writeStringField("change", version.change());
                line.writeNumberField("records_per_second", Math.round(measured.recordsPerSecond()));
                line.writeNumberField("expected_gain", rounded(version.expectedGain()));
                line.writeNumberField("measured_gain", rounded(gain));
                LimiterFields.write(line, measured.limiter());
            });
            return;
        }
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add(
                step == 1
                        ? "step %d  %,10d records/s".formatted(step, Math.round(measured.recordsPerSecond()))
                        : "step %d  %,10d records/s   expected x %.2f   measured x %.2f"
                                .formatted(
                                        step, Math.round(measured.recordsPerSecond()), version.expectedGain(), gain));
        LimiterFields.wrapped(version.change(), COLUMNS - 2).forEach(line -> lines.add("  " + line));
        LimiterFields.lines(measured.limiter(), COLUMNS - 2).forEach(line -> lines.add("  " + line));
        lines.forEach(weir.out()::println);
        weir.out().flush();
    }

    /**
     * The end; what there is of it if the command was told to stop.
     *
     * @param flaw what is wrong with the last step's outputs, without a full stop; null if nothing is
     * @return the exit code
     */
    int summary(@Nullable String flaw, boolean stopped) {
        String failure = flaw == null ? null : "step %d: %s".formatted(rates.size(), flaw);
        if (json) {
            weir.json().write(line -> {
                line.writeNumberField("events", events);
                line.writeNumberField("steps", rates.size());
                line.writeNumberField("total_gain", rounded(totalGain()));
                if (failure == null && stopped && rates.size() < 2) {
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
            weir.out().println(failure == null ? verdict(stopped) : "FAILED: " + failure + ".");
            weir.out().flush();
        }
        return failure == null ? ExitCode.DONE : ExitCode.FAILED;
    }

    private String verdict(boolean stopped) {
        String begin = stopped ? "stopped" : "OK";
        return switch (rates.size()) {
            case 0 -> begin + ": no step was measured.";
            case 1 ->
                "%s: 1 step, %,d records/s; nothing to compare it with.".formatted(begin, Math.round(rates.getFirst()));
            default ->
                "%s: x %.1f in %d steps, from %,d to %,d records/s; all wrote the same bytes."
                        .formatted(
                                begin,
                                totalGain(),
                                rates.size(),
                                Math.round(rates.getFirst()),
                                Math.round(rates.getLast()));
        };
    }

    private double totalGain() {
        return rates.isEmpty() ? 1 : rates.getLast() / rates.getFirst();
    }

    private static double rounded(double gain) {
        return Math.round(gain * 100) / 100.0;
    }
}
