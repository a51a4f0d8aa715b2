package dev.weir.cli.tune;

import dev.weir.cli.pipeline.LimiterFields;
import dev.weir.cli.terminal.CommandContext;
import java.util.ArrayList;
import java.util.List;

/** Tells each step of a tuning when it is measured, and the end: for people or as JSON. Confined to one thread. */
final class TuneReport {
    private static final int COLUMNS = 80;
    private static final String UNEQUAL = "the outputs differ from those of the first step";

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

    /** The end; what there is of it if the command was told to stop. */
    void summary(boolean outputsEqual) {
        double total = rates.isEmpty() ? 1 : rates.getLast() / rates.getFirst();
        if (json) {
            weir.json().write(line -> {
                line.writeNumberField("events", events);
                line.writeNumberField("steps", rates.size());
                line.writeNumberField("total_gain", rounded(total));
                line.writeBooleanField("outputs_equal", outputsEqual);
                line.writeBooleanField("stopped", weir.shutdown().isRequested());
                if (!outputsEqual) {
                    line.writeStringField("error", UNEQUAL);
                }
            });
            weir.errorIsTold();
            return;
        }
        weir.out().println();
        if (!outputsEqual) {
            weir.out().println("FAILED: " + UNEQUAL + ".");
        } else if (rates.isEmpty()) {
            weir.out().println("OK: stopped before the first step was measured.");
        } else {
            weir.out()
                    .println("OK: x %.1f in %d steps, from %,d to %,d records/s; all wrote the same bytes."
                            .formatted(total, rates.size(), Math.round(rates.getFirst()), Math.round(rates.getLast())));
        }
        weir.out().flush();
    }

    private static double rounded(double gain) {
        return Math.round(gain * 100) / 100.0;
    }
}
