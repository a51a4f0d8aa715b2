package dev.weir.cli.replay;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What was done, or has been so far. Immutable.
 *
 * @param filteredOut letters that the user's selection leaves out
 * @param unsendable records that are no letters, letters that are not whole, and those whose original is gone
 * @param originalsGone those of {@code unsendable} whose original is gone
 * @param formats letters by the name of their format
 */
record ReplaySummary(
        long read,
        long sent,
        long filteredOut,
        long unsendable,
        long originalsGone,
        Map<String, Long> formats,
        boolean stopped,
        boolean dryRun,
        Duration elapsed) {

    boolean isComplete() {
        return unsendable == 0 && !stopped;
    }

    String text() {
        String kinds = formats.entrySet().stream()
                .map(each -> String.format(Locale.ROOT, "%,d %s", each.getValue(), each.getKey()))
                .collect(Collectors.joining(", "));
        return String.format(
                Locale.ROOT,
                "%,d letters read%s, %,d %s, %,d left out by --filter, --since or --until, %,d cannot be sent%s%s in %.1f s",
                read,
                kinds.isEmpty() ? "" : " (" + kinds + ")",
                sent,
                dryRun ? "would be sent" : "sent back",
                filteredOut,
                unsendable,
                originalsGone == 0 ? "" : String.format(Locale.ROOT, " (the original of %,d is gone)", originalsGone),
                stopped ? ", stopped before the end" : "",
                elapsed.toMillis() / 1000.0);
    }

    void write(JsonGenerator line) throws IOException {
        line.writeNumberField("letters_read", read);
        line.writeNumberField("letters_sent", sent);
        line.writeNumberField("filtered_out", filteredOut);
        line.writeNumberField("unsendable", unsendable);
        line.writeNumberField("originals_gone", originalsGone);
        line.writeObjectFieldStart("formats");
        for (Map.Entry<String, Long> each : formats.entrySet()) {
            line.writeNumberField(each.getKey(), each.getValue());
        }
        line.writeEndObject();
        line.writeBooleanField("stopped", stopped);
        line.writeBooleanField("dry_run", dryRun);
        line.writeNumberField("elapsed_ms", elapsed.toMillis());
        if (!isComplete()) {
            line.writeStringField(
                    "error",
                    String.format(
                            Locale.ROOT,
                            "%,d letters cannot be sent%s",
                            unsendable,
                            stopped ? ", stopped before the end" : ""));
        }
    }
}
