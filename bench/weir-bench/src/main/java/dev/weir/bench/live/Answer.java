package dev.weir.bench.live;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The answer to an {@link Order}. Immutable.
 *
 * @param status {@code accepted} or {@code refused}
 * @param applied the changes made by the command, by key
 * @param atMs when the command took effect, in milliseconds since the plan began
 * @param timeline all commands executed in the run so far
 * @param error reason for the refusal; null if the command was accepted
 */
public record Answer(
        String status,
        Map<String, String> applied,
        long atMs,
        List<TimelineEntry> timeline,
        @Nullable String error) {

    private static final String ACCEPTED = "accepted";

    /** Returns the answer to an executed command, based on the last entry of the timeline. */
    public static Answer accepted(List<TimelineEntry> timeline) {
        TimelineEntry last = timeline.getLast();
        return new Answer(ACCEPTED, last.did(), (long) last.atMillis(), List.copyOf(timeline), null);
    }

    /** Returns the answer to a refused command, which changed nothing. */
    public static Answer refused(String why, long atMs, List<TimelineEntry> timeline) {
        return new Answer("refused", Map.of(), atMs, List.copyOf(timeline), why);
    }

    /** Returns the timeline as JSON. */
    public String timelineJson() {
        try {
            return LiveFolder.JSON.writeValueAsString(timeline);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("plain values were not written", e);
        }
    }

    /** Returns whether the command was executed. */
    public boolean wasAccepted() {
        return status.equals(ACCEPTED);
    }
}
