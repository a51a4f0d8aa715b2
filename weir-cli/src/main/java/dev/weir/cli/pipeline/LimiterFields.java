package dev.weir.cli.pipeline;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.metrics.Limiter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats a limiter for summaries: as fields for programs, and as lines for people. */
public final class LimiterFields {

    /** Smallest gain to mention. A smaller one would be printed as "1.0 times". */
    private static final double WORTH_A_WORD = 1.05;

    private LimiterFields() {}

    /** Writes the field {@code limiter}, in the form that all commands use. */
    public static void write(JsonGenerator json, Limiter limiter) throws IOException {
        json.writeObjectFieldStart("limiter");
        json.writeStringField("kind", limiter.kind().id());
        json.writeStringField("name", limiter.name());
        json.writeStringField("sentence", limiter.sentence());
        json.writeStringField("advice", limiter.advice());
        json.writeNumberField("expected_gain", rounded(limiter.expectedGain()));
        Double measured = limiter.measuredGain();
        if (measured == null) {
            json.writeNullField("measured_gain");
        } else {
            json.writeNumberField("measured_gain", rounded(measured));
        }
        json.writeNumberField("seconds", rounded(limiter.seconds()));
        json.writeStringField("confidence", limiter.confidence().id());
        json.writeArrayFieldStart("candidates");
        for (Limiter candidate : limiter.candidates()) {
            json.writeStartObject();
            json.writeStringField("kind", candidate.kind().id());
            json.writeStringField("name", candidate.name());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static double rounded(double figure) {
        return Math.round(figure * 100) / 100.0;
    }

    /**
     * Returns the limiter's sentence and advice as lines.
     *
     * @param columns maximum length of a line, exceeded only by longer words
     */
    public static List<String> lines(Limiter limiter, int columns) {
        List<String> lines = new ArrayList<>(wrapped(limiter.kind().id() + ": " + limiter.sentence(), columns));
        String advice = limiter.advice() + gains(limiter.expectedGain(), limiter.measuredGain());
        lines.addAll(wrapped("to do: " + advice, columns));
        return lines;
    }

    /**
     * Returns words on the expected gain and the last measured gain, to follow the advice.
     *
     * @param measured null if no advice was followed
     */
    public static String gains(double expected, @Nullable Double measured) {
        String hoped =
                expected < WORTH_A_WORD ? "" : String.format(Locale.ROOT, " (expected: %.1f times the rate)", expected);
        return measured == null
                ? hoped
                : hoped + String.format(Locale.ROOT, "; the change before: %.1f times the rate", measured);
    }

    /** The text, wrapped between words. */
    public static List<String> wrapped(String text, int columns) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > columns) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
