package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.CommitMetadata;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.fetch.LogPosition;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.offsets.CommitText;
import dev.weir.kafka.internal.in.offsets.FinishedSet;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.lean.spi.InvariantException;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/** Writes and reads the metadata of commits; see {@link CommitText}. Confined to the owner thread. */
public final class CommitTexts {

    private static final ConsumerLog LOG = ConsumerLog.of(CommitTexts.class);

    private final Consumer<?, ?> client;
    private final OwnerClock clock;
    private final CommitMetadata userText;
    private final int maxChars;
    private final Set<TopicPartition> warned = new HashSet<>();
    private final byte[] scratch = new byte[CommitText.NOTES_CHARS];

    private int version;

    /** The leader epoch of the last commit, reused because it rarely changes. */
    private Optional<Integer> lastEpoch = Optional.empty();

    /** Number of partitions per topic when the group began to read the topic. */
    private final Map<String, Integer> startSizes = new HashMap<>();

    CommitTexts(Consumer<?, ?> client, ConsumerSettings<?, ?> settings, OwnerClock clock) {
        this.client = client;
        this.clock = clock;
        this.userText = settings.commitMetadata();
        this.maxChars = settings.commitMetadataChars();
    }

    /** Returns whether commits contain any metadata. */
    public boolean areWritten() {
        return maxChars > 0;
    }

    /**
     * Sets the number of partitions that the topic had when the group began to read it. All further commits contain it.
     */
    public void startSize(String topic, int size) {
        startSizes.merge(topic, size, Math::min);
        version++;
    }

    /** Returns a number that changes whenever a start size is added. */
    int version() {
        return version;
    }

    private int startSize(AssignedPartition partition) {
        return startSizes.getOrDefault(partition.id().topic(), CommitText.NO_SIZE);
    }

    OffsetAndMetadata commit(AssignedPartition partition, long offset) {
        check(partition, offset);
        if (maxChars == 0) {
            return commit(partition, offset, "");
        }
        FinishedSet finished = partition.tracker().finishedPast(offset, partition.finishedEarlier());
        int size = startSize(partition);
        int room = size < 0 ? maxChars : Math.max(0, maxChars - CommitText.SIZE_CHARS);
        room = partition.topicIdText() == null ? room : CommitText.roomBesideTopicId(room);
        String text = CommitText.encode(offset, finished, userText(partition.id(), offset, room), room);
        return commit(partition, offset, noted(partition, offset, text));
    }

    /** Throws if the offset must not be committed. */
    private static void check(AssignedPartition partition, long offset) {
        if (!partition.tracker().isFinishedTo(offset) || offset > partition.firstDropped()) {
            throw new InvariantException(
                    5, "a commit never passes a record that is unfinished", state(partition, offset));
        }
        if (offset < partition.committedOffset()) {
            throw new InvariantException(6, "a commit never goes back within an assignment", state(partition, offset));
        }
    }

    private static String state(AssignedPartition partition, long offset) {
        OffsetTracker tracker = partition.tracker();
        long dropped = partition.firstDropped();
        return partition + "@" + offset + " finishedTo=" + tracker.committableOffset() + " outstanding="
                + tracker.outstanding() + " readTo=" + tracker.nextOffset() + " committed="
                + partition.committedOffset() + " dropped=" + (dropped == Long.MAX_VALUE ? "none" : dropped);
    }

    /** Creates a {@link #commit} that contains all finished offsets; null if they do not fit. */
    @Nullable
    OffsetAndMetadata commitEntirely(AssignedPartition partition, long offset) {
        FinishedSet finished = partition.tracker().finishedPast(offset, partition.finishedEarlier());
        OffsetAndMetadata commit = commit(partition, offset);
        if (finished.isEmpty()) {
            return commit;
        }
        // The commit may contain records that were finished after the first lookup, which is harmless.
        FinishedSet written = finished(partition.id(), commit);
        return finished.runs() < CommitText.MAX_RUNS && written.containsAll(finished) ? commit : null;
    }

    /** Creates a commit without a finished set. */
    OffsetAndMetadata commitAhead(AssignedPartition partition, long offset) {
        return commit(partition, offset, noted(partition, offset, ""));
    }

    private OffsetAndMetadata commit(AssignedPartition partition, long offset, String text) {
        int epoch = partition.epochs().before(offset);
        if (lastEpoch.orElse(LogPosition.NO_EPOCH) != epoch) {
            lastEpoch = epoch < 0 ? Optional.empty() : Optional.of(epoch);
        }
        return new OffsetAndMetadata(offset, lastEpoch, text);
    }

    private String noted(AssignedPartition partition, long offset, String text) {
        String id = partition.topicIdText();
        if (id != null && text.isEmpty()) {
            return CommitText.notes(id, startSize(partition), offset, maxChars, scratch);
        }
        String ofTopic = CommitText.withTopicId(text, id, offset, maxChars);
        return CommitText.withStartSize(ofTopic, startSize(partition), maxChars);
    }

    /** Returns the topic id in a commit's metadata, or null. */
    @Nullable
    public Uuid topicId(OffsetAndMetadata commit) {
        return CommitText.topicId(commit.offset(), commit.metadata());
    }

    private String userText(TopicPartition id, long offset, int room) {
        String refused;
        try {
            String text = userText.of(id.topic(), id.partition(), offset);
            if (text.length() <= room - CommitText.OVERHEAD_CHARS) {
                return text;
            }
            refused = text.length() + " characters do not fit into commitMetadataChars=" + maxChars + " beside the "
                    + (maxChars - room + CommitText.OVERHEAD_CHARS) + " of Weir's own";
        } catch (RuntimeException | Error failure) {
            if (Thrown.isFatal(failure)) {
                throw failure;
            }
            refused = Thrown.text(failure);
        }
        if (warned.add(id)) {
            LOG.warn("the commit metadata function failed for {}, which is committed without: {}", id, refused);
        }
        return "";
    }

    /** Returns the finished offsets in the commit's metadata. */
    public FinishedSet finishedPast(TopicPartition id, OffsetAndMetadata commit) {
        return maxChars == 0 ? FinishedSet.EMPTY : finished(id, commit);
    }

    private FinishedSet finished(TopicPartition id, OffsetAndMetadata commit) {
        int size = CommitText.startSize(commit.metadata());
        if (size >= 0) {
            startSize(id.topic(), size);
        }
        try {
            return CommitText.decode(commit.offset(), commit.metadata()).finished();
        } catch (IllegalArgumentException unreadable) {
            LOG.warn(
                    "ignored the metadata of the commit of {}@{}: {}; what was finished past it is repeated",
                    id,
                    commit.offset(),
                    Thrown.reason(unreadable));
            return FinishedSet.EMPTY;
        }
    }

    /** Reads the committed offsets and metadata. Blocks for at most {@code nanos}. */
    Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> ids, long nanos) {
        long deadlineNanos = clock.nanoTime() + nanos;
        while (true) {
            long left = Math.max(0, deadlineNanos - clock.nanoTime());
            try {
                return client.committed(ids, Duration.ofNanos(left));
            } catch (WakeupException late) {
                // The wake-up was meant for a poll. Repeat the call.
                if (left == 0) {
                    throw late;
                }
            }
        }
    }
}
