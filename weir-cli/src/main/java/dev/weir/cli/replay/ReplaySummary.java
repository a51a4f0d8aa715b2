package dev.weir.cli.replay;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.Printable;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The counts of a replay so far. Immutable.
 *
 * @param filteredOut dead-letter records that do not match the user's selection
 * @param excluded dead-letter records that came from, or would go to, a topic given with {@code --exclude-topic}
 * @param unsendable records without a known format, incomplete records, and records whose original is gone
 * @param originalsGone the records in {@code unsendable} whose original is gone
 * @param refused number of refused dead-letter records for each topic that no option allows, for a limited number of
 *     topics
 * @param refusedElsewhere number of refused dead-letter records for all other topics
 * @param formats number of dead-letter records by the name of their format
 * @param failure the reason why the run ended early, or null
 */
record ReplaySummary(
        long read,
        long sent,
        long filteredOut,
        long excluded,
        long unsendable,
        long originalsGone,
        Map<String, Long> refused,
        long refusedElsewhere,
        Map<String, Long> formats,
        boolean stopped,
        boolean dryRun,
        Duration elapsed,
        @Nullable CliFailure failure) {

    /** Maximum number of topics in the text. The JSON contains all topics with their own count. */
    private static final int MAX_TOPICS_SHOWN = 10;

    ReplaySummary failed(CliFailure why) {
        return new ReplaySummary(
                read,
                sent,
                filteredOut,
                excluded,
                unsendable,
                originalsGone,
                refused,
                refusedElsewhere,
                formats,
                stopped,
                dryRun,
                elapsed,
                why);
    }

    boolean isComplete() {
        return unsendable == 0 && refusedCount() == 0 && !stopped && failure == null;
    }

    private long refusedCount() {
        return refused.values().stream().mapToLong(Long::longValue).sum() + refusedElsewhere;
    }

    String line() {
        String kinds = formats.entrySet().stream()
                .map(each -> String.format(Locale.ROOT, "%,d %s", each.getValue(), each.getKey()))
                .collect(Collectors.joining(", "));
        return String.format(
                Locale.ROOT,
                "%,d dead-letter records read%s, %,d %s, %,d left out by --filter, --since or --until,%s %,d cannot be sent%s%s%s in %.1f s",
                read,
                kinds.isEmpty() ? "" : " (" + kinds + ")",
                sent,
                dryRun ? "would be sent" : "sent back",
                filteredOut,
                excluded == 0 ? "" : String.format(Locale.ROOT, " %,d left out by --exclude-topic,", excluded),
                unsendable,
                originalsGone == 0 ? "" : String.format(Locale.ROOT, " (the original of %,d is gone)", originalsGone),
                stopped ? ", stopped before the end" : "",
                failure == null ? "" : ", ended before the end by a failure",
                elapsed.toMillis() / 1000.0);
    }

    String text() {
        return line() + refusedText();
    }

    /** Sentence about refused records and the option that allows them. */
    private String refusedText() {
        if (refusedCount() == 0) {
            return "";
        }
        String topics = refused.entrySet().stream()
                .limit(MAX_TOPICS_SHOWN)
                .map(each -> String.format(Locale.ROOT, "%,d for %s", each.getValue(), Printable.line(each.getKey())))
                .collect(Collectors.joining(", "));
        String more = refused.size() > MAX_TOPICS_SHOWN || refusedElsewhere > 0 ? ", and others" : "";
        return String.format(
                Locale.ROOT,
                "%n  %,d refused, as no option allows their topics: %s%s. --allow-topic TOPIC allows one, --to TOPIC sends"
                        + " all elsewhere",
                refusedCount(),
                topics,
                more);
    }

    void write(JsonGenerator line) throws IOException {
        line.writeNumberField("letters_read", read);
        line.writeNumberField("letters_sent", sent);
        line.writeNumberField("filtered_out", filteredOut);
        line.writeNumberField("excluded", excluded);
        line.writeNumberField("refused", refusedCount());
        write(line, "refused_topics", refused);
        line.writeNumberField("unsendable", unsendable);
        line.writeNumberField("originals_gone", originalsGone);
        write(line, "formats", formats);
        line.writeBooleanField("stopped", stopped);
        line.writeBooleanField("dry_run", dryRun);
        line.writeNumberField("elapsed_ms", elapsed.toMillis());
        if (!isComplete()) {
            line.writeStringField("error", failure == null ? incomplete() : String.valueOf(failure.getMessage()));
        }
    }

    private String incomplete() {
        String unsent = String.format(Locale.ROOT, "%,d dead-letter records cannot be sent", unsendable);
        String notAllowed = refusedCount() == 0
                ? ""
                : String.format(
                        Locale.ROOT, ", %,d are refused: --allow-topic names the topics to write to", refusedCount());
        return unsent + notAllowed + (stopped ? ", stopped before the end" : "");
    }

    private static void write(JsonGenerator line, String name, Map<String, Long> counts) throws IOException {
        line.writeObjectFieldStart(name);
        for (Map.Entry<String, Long> each : counts.entrySet()) {
            line.writeNumberField(each.getKey(), each.getValue());
        }
        line.writeEndObject();
    }
}
