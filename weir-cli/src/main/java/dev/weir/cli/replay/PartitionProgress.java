package dev.weir.cli.replay;

import dev.weir.kafka.CommitMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the records of one partition that need no further replay: all records before {@link #position}, and later
 * records that were sent although an earlier record could not be sent. The later records are stored in the commit's
 * metadata, so that the next run with the same group does not send them again. Confined to one thread.
 *
 * <p>The text in the metadata has the form {@code weir-replay:HORIZON:LEFT,...}. The numbers are distances from the
 * committed offset. {@code HORIZON} is the end of the examined records. Each {@code LEFT} is a record before that end
 * that was not sent, or a range of such records, for example {@code 17-20}. The metadata also contains the topic id, as
 * the commits of pipelines do, because offsets mean nothing in a recreated topic.
 */
final class PartitionProgress {

    private static final String NAME = "weir-replay:";
    // The quantifiers are possessive, because Java would otherwise match the repeated group recursively and overflow
    // the stack on a long string.
    private static final Pattern FORM =
            Pattern.compile(NAME + "(\\d{1,18}):(\\d{1,18}(?:-\\d{1,18})?(?:,\\d{1,18}(?:-\\d{1,18})?)*+)");

    /**
     * {@link #isFull} returns true if the metadata is longer than this. Brokers accept 4,096 bytes by default, so
     * enough space is left for the unsent records of the next poll.
     */
    private static final int FULL_CHARS = 2_000;

    private static final int MAX_CHARS = 4_000;

    /** Longest accepted range of unsent records. Metadata with a longer range is ignored. */
    private static final int MAX_LEFT = 100_000;

    /**
     * {@link #isFull} returns true for this many unsent records, even if they are adjacent and need little metadata.
     * One poll returns fewer records than the difference to {@link #MAX_LEFT}.
     */
    private static final int FULL_LEFT = MAX_LEFT - 1_000;

    private long horizon;
    private final TreeSet<Long> left = new TreeSet<>();

    /** Starts at the group's committed offset, or at the beginning of the partition if there is none. */
    static PartitionProgress of(@Nullable OffsetAndMetadata committed) {
        PartitionProgress progress = new PartitionProgress();
        if (committed == null) {
            return progress;
        }
        progress.horizon = committed.offset();
        Matcher form = FORM.matcher(CommitMetadata.userText(committed.offset(), committed.metadata()));
        if (form.matches()) {
            progress.readLeft(committed.offset(), Long.parseLong(form.group(1)), form.group(2));
        }
        return progress;
    }

    private void readLeft(long from, long end, String spans) {
        TreeSet<Long> offsets = new TreeSet<>();
        for (String span : spans.split(",", -1)) {
            int dash = span.indexOf('-');
            long first = Long.parseLong(dash < 0 ? span : span.substring(0, dash));
            long last = Long.parseLong(span.substring(dash + 1));
            if (last - first > MAX_LEFT || last >= end) {
                return;
            }
            for (long offset = first; offset <= last; offset++) {
                offsets.add(from + offset);
            }
        }
        left.addAll(offsets);
        horizon = from + end;
    }

    /** Returns true if this or an earlier run is done with the record at an offset. */
    boolean isDone(long offset) {
        return offset < horizon && !left.contains(offset);
    }

    /** The end of the examined records. */
    long horizon() {
        return horizon;
    }

    /**
     * Continues at an offset because the log has lost the records before it. If the log ends before the last examined
     * record, it is a different log, and none of its records have been examined.
     */
    void continueAt(long offset, long end) {
        if (horizon > end) {
            restartAt(offset);
        } else {
            left.headSet(offset).clear();
            horizon = Math.max(horizon, offset);
        }
    }

    /** Continues at an offset of a recreated topic, in which nothing has been examined. */
    void restartAt(long offset) {
        left.clear();
        horizon = offset;
    }

    /** Marks a record as done. The record was sent, it was skipped, or no later run can send it. */
    void done(long offset) {
        left.remove(offset);
        horizon = Math.max(horizon, offset + 1);
    }

    /** Marks a record as not sent; another run may be able to send it. */
    void left(long offset) {
        left.add(offset);
        horizon = Math.max(horizon, offset + 1);
    }

    /**
     * The position to commit.
     *
     * @param topicId the id of the topic, or null if it is not known
     */
    OffsetAndMetadata position(@Nullable Uuid topicId) {
        long offset = left.isEmpty() ? horizon : left.first();
        String text = left.isEmpty() || text().length() > MAX_CHARS ? "" : text();
        return new OffsetAndMetadata(
                offset, topicId == null ? text : CommitMetadata.withTopicId(text, topicId, offset));
    }

    /** Returns the first record that another run may be able to send; null if there is none. */
    @Nullable
    Long firstLeft() {
        return left.isEmpty() ? null : left.first();
    }

    /** Returns true if a commit may have too little space for the unsent records of another poll. */
    boolean isFull() {
        return left.size() >= FULL_LEFT || (!left.isEmpty() && text().length() > FULL_CHARS);
    }

    private String text() {
        return NAME + (horizon - left.first()) + ":" + String.join(",", spans());
    }

    private List<String> spans() {
        List<String> spans = new ArrayList<>();
        long first = left.first();
        long last = first;
        for (long offset : left.tailSet(first, false)) {
            if (offset != last + 1) {
                spans.add(span(first, last));
                first = offset;
            }
            last = offset;
        }
        spans.add(span(first, last));
        return spans;
    }

    private String span(long first, long last) {
        long from = left.first();
        return first == last ? Long.toString(first - from) : first - from + "-" + (last - from);
    }
}
