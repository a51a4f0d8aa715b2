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
 * The records of one partition that are done: all records before {@link #position}, and some later ones. The commit's
 * metadata list the later records, so that the next run with the same group does not send them again. Confined to one
 * thread.
 *
 * <p>The text in the metadata is {@code weir-replay:HORIZON:LEFT,...}, with distances from the committed offset. {@code
 * HORIZON} is the end of the examined records. {@code LEFT} is an unsent record before it, or a range of them, for
 * example {@code 17-20}. The metadata also contain the topic id, as the commits of pipelines do, because offsets mean
 * nothing in a recreated topic.
 */
final class PartitionProgress {

    private static final String NAME = "weir-replay:";
    // Possessive quantifiers: Java would match the repeated group recursively and overflow the stack on a long string.
    private static final Pattern FORM =
            Pattern.compile(NAME + "(\\d{1,18}):(\\d{1,18}(?:-\\d{1,18})?(?:,\\d{1,18}(?:-\\d{1,18})?)*+)");

    /** {@link #isFull} returns true for longer metadata. */
    private static final int FULL_CHARS = 2_000;

    private static final int MAX_CHARS = 4_000;

    /** Longest accepted range of unsent records. Metadata with a longer range are ignored. */
    private static final int MAX_LEFT = 100_000;

    /** {@link #isFull} returns true for this many unsent records, even if their metadata are short. */
    private static final int FULL_LEFT = MAX_LEFT - 1_000;

    /** True if the run commits. Only commits need all unsent records. */
    private final boolean commits;

    private long horizon;
    private final TreeSet<Long> left = new TreeSet<>();

    private PartitionProgress(boolean commits) {
        this.commits = commits;
    }

    /** Starts at the beginning of the partition, without a group. Keeps only the first unsent record. */
    static PartitionProgress withoutGroup() {
        return new PartitionProgress(false);
    }

    /** Starts at the group's committed offset or, without one, at the beginning of the partition. */
    static PartitionProgress of(@Nullable OffsetAndMetadata committed) {
        PartitionProgress progress = new PartitionProgress(true);
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

    /** Returns whether this or an earlier run is done with a record. */
    boolean isDone(long offset) {
        return offset < horizon && !left.contains(offset);
    }

    /** The end of the examined records. */
    long horizon() {
        return horizon;
    }

    /** Continues at an offset, because the log has lost the records before it. */
    void continueAt(long offset, long end) {
        if (horizon > end) {
            restartAt(offset);
        } else {
            left.headSet(offset).clear();
            horizon = Math.max(horizon, offset);
        }
    }

    /** Continues in a recreated topic, whose records have not been examined. */
    void restartAt(long offset) {
        left.clear();
        horizon = offset;
    }

    /** Marks a record as done: it was sent or skipped, or no later run can send it. */
    void done(long offset) {
        left.remove(offset);
        horizon = Math.max(horizon, offset + 1);
    }

    /** Marks a record as unsent. Another run may be able to send it. */
    void left(long offset) {
        if (!commits && !left.isEmpty() && offset < left.first()) {
            left.clear();
        }
        if (commits || left.isEmpty()) {
            left.add(offset);
        }
        horizon = Math.max(horizon, offset + 1);
    }

    /**
     * The position to commit.
     *
     * @param topicId the id of the topic, or null if it is unknown
     */
    OffsetAndMetadata position(@Nullable Uuid topicId) {
        long offset = left.isEmpty() ? horizon : left.first();
        String text = left.isEmpty() || text().length() > MAX_CHARS ? "" : text();
        return new OffsetAndMetadata(
                offset, topicId == null ? text : CommitMetadata.withTopicId(text, topicId, offset));
    }

    /** First unsent record; null if there is none. */
    @Nullable
    Long firstLeft() {
        return left.isEmpty() ? null : left.first();
    }

    /** Returns whether a commit may lack space for the unsent records of another poll. */
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
