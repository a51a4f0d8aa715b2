package dev.weir.cli.console;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.cli.pipeline.LimiterFields;
import dev.weir.command.terminal.CommandContext;
import dev.weir.command.terminal.Printable;
import dev.weir.console.tune.TuneReport;
import dev.weir.console.tune.TuneStep;
import dev.weir.metrics.Limiter;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Prints the steps and the summary of a tuner, as text or as JSON. Confined to the thread of the command. */
public final class TuneOutput {

    private final CommandContext weir;
    private final boolean json;

    /** Creates an output that writes to {@code weir}: lines for people, or JSON if {@code json} is true. */
    public TuneOutput(CommandContext weir, boolean json) {
        this.weir = weir;
        this.json = json;
    }

    /** Returns whether tuning failed: no records moved, the pipeline stayed unhealthy, or a change was kept. */
    public static boolean isFailure(TuneReport report) {
        return switch (report.end()) {
            case IDLE, GUARD, NOT_TAKEN_BACK -> true;
            case DONE, KEEPS_UP, STOPPED, PIPELINE_ENDED, MOST_STEPS -> false;
        };
    }

    /** Prints a finished step. */
    public void step(TuneStep step) {
        if (json) {
            weir.json().write(line -> {
                line.writeStringField("event", "step");
                line.writeNumberField("step", step.number());
                line.writeStringField("change", step.change());
                line.writeNumberField("records_per_second", Math.round(step.perSecond()));
                line.writeNumberField("expected_gain", rounded(step.expectedGain()));
                line.writeNumberField("measured_gain", rounded(step.measuredGain()));
                line.writeArrayFieldStart("spread");
                line.writeNumber(rounded(step.lowestGain()));
                line.writeNumber(rounded(step.highestGain()));
                line.writeEndArray();
                line.writeStringField("verdict", step.verdict().id());
                line.writeBooleanField("taken_back", step.isTakenBack());
                if (!step.reason().isEmpty()) {
                    line.writeStringField("reason", step.reason());
                }
                writeLimiter(line, step.limiter());
            });
            return;
        }
        PrintStream out = weir.out();
        out.println(String.format(Locale.ROOT, "%2d  %s", step.number(), Printable.line(step.change())));
        out.println("    " + Printable.line(measured(step)));
        Limiter limiter = step.limiter();
        if (limiter != null) {
            out.println("    " + limiter.kind().id() + ": " + Printable.line(limiter.sentence()));
        }
        out.flush();
    }

    private static void writeLimiter(JsonGenerator line, @Nullable Limiter limiter) throws IOException {
        if (limiter == null) {
            line.writeNullField("limiter");
        } else {
            LimiterFields.write(line, limiter);
        }
    }

    private static String measured(TuneStep step) {
        String rate = String.format(Locale.ROOT, "%,d records/s", Math.round(step.perSecond()));
        String gains = String.format(
                Locale.ROOT,
                "x %.2f (%.2f to %.2f)%s",
                step.measuredGain(),
                step.lowestGain(),
                step.highestGain(),
                step.expectedGain() > 1 ? String.format(Locale.ROOT, ", expected x %.2f", step.expectedGain()) : "");
        return switch (step.verdict()) {
            case FIRST -> rate;
            case FASTER -> rate + ", " + gains + ": it stays";
            case CHEAPER -> rate + ", " + gains + ": as fast with less, it stays";
            case EQUAL -> rate + ", " + gains + ": no gain, taken back";
            case SLOWER -> rate + ", " + gains + ": slower, taken back";
            case GUARDED -> "taken back: " + step.reason();
            case REFUSED -> "not taken: " + step.reason();
            case STUCK -> step.reason();
        };
    }

    void summary(TuneReport report, boolean applied) {
        if (!json) {
            print(report, applied ? "in force until the process ends:" : "restored; the best setting was:");
            return;
        }
        weir.json().write(line -> {
            writeSummary(line, report);
            line.writeBooleanField("applied", applied);
            if (isFailure(report)) {
                line.writeStringField("error", report.reason());
            }
        });
        if (isFailure(report)) {
            weir.errorIsReported();
        }
    }

    /**
     * Prints the summary for people.
     *
     * @param before the line to print above the list of settings
     */
    public void print(TuneReport report, String before) {
        PrintStream out = weir.out();
        out.println();
        TuneStep best = report.best();
        long takenBack = report.steps().stream().filter(TuneStep::isTakenBack).count();
        if (best == null) {
            out.println("nothing was measured: " + Printable.line(report.reason()) + ".");
        } else {
            out.println(String.format(
                    Locale.ROOT,
                    "%s: x %.1f in %d steps, %d of them taken back, from %,d to %,d records/s (counted at %s): %s.",
                    isFailure(report) ? "FAILED" : "OK",
                    report.totalGain(),
                    report.steps().size(),
                    takenBack,
                    Math.round(report.steps().getFirst().perSecond()),
                    Math.round(best.perSecond()),
                    Printable.line(report.counter()),
                    Printable.line(report.reason())));
        }
        report.leftAlone()
                .forEach(stage -> out.println(String.format(
                        Locale.ROOT,
                        "left alone: %s has one worker, which its order may need; --raise '%s' includes it",
                        Printable.line(stage),
                        Printable.line(stage))));
        if (!report.settings().isEmpty()) {
            out.println(before);
            new TreeMap<>(report.settings())
                    .forEach((key, value) -> out.println("  " + Printable.line(key) + "=" + value));
            out.println("to make it permanent:");
            report.lasting().forEach(line -> out.println("  " + Printable.line(line)));
        }
        out.flush();
    }

    /** Writes the fields of the summary. */
    public static void writeSummary(JsonGenerator line, TuneReport report) throws IOException {
        TuneStep best = report.best();
        line.writeNumberField("steps", report.steps().size());
        line.writeNumberField(
                "taken_back",
                report.steps().stream().filter(TuneStep::isTakenBack).count());
        line.writeNumberField("best_step", best == null ? 0 : best.number());
        line.writeNumberField("total_gain", rounded(report.totalGain()));
        line.writeStringField("end", report.end().id());
        line.writeStringField("reason", report.reason());
        line.writeStringField("counted_at", report.counter());
        line.writeObjectFieldStart("settings");
        for (Map.Entry<String, Long> each : new TreeMap<>(report.settings()).entrySet()) {
            line.writeNumberField(each.getKey(), each.getValue());
        }
        line.writeEndObject();
        line.writeArrayFieldStart("permanent");
        for (String each : report.lasting()) {
            line.writeString(each);
        }
        line.writeEndArray();
        line.writeArrayFieldStart("left_alone");
        for (String each : report.leftAlone()) {
            line.writeString(each);
        }
        line.writeEndArray();
        line.writeBooleanField("stopped", report.end() == TuneReport.End.STOPPED);
    }

    private static double rounded(double gain) {
        return Math.round(gain * 100) / 100.0;
    }
}
