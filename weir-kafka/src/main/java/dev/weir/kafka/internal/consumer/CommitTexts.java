package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.CommitMetadata;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.offsets.CommitText;
import dev.weir.kafka.internal.offsets.FinishedSet;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;

/** Writes and reads the metadata of commits, see {@link CommitText}. Confined to the owner thread. */
final class CommitTexts {

    private static final ConsumerLog LOG = ConsumerLog.of(CommitTexts.class);

    private final Consumer<?, ?> client;
    private final Clock clock;
    private final CommitMetadata userText;
    private final int maxChars;
    private final Set<TopicPartition> warned = new HashSet<>();

    CommitTexts(Consumer<?, ?> client, ConsumerSettings<?, ?> settings, Clock clock) {
        this.client = client;
        this.clock = clock;
        this.userText = settings.commitMetadata();
        this.maxChars = settings.commitMetadataChars();
    }

    /** The commit of {@code offset} with all that is kept beside it. */
    OffsetAndMetadata commit(AssignedPartition partition, long offset) {
        if (maxChars == 0) {
            return new OffsetAndMetadata(offset);
        }
        FinishedSet finished = partition.tracker.finishedPast(offset, partition.finishedEarlier);
        return new OffsetAndMetadata(
                offset, CommitText.encode(offset, finished, userText(partition.id, offset), maxChars));
    }

    private String userText(TopicPartition id, long offset) {
        String refused;
        try {
            String text = userText.of(id.topic(), id.partition(), offset);
            if (text.length() <= maxChars - CommitText.OVERHEAD_CHARS) {
                return text;
            }
            refused = text.length() + " characters do not fit into commitMetadataChars=" + maxChars;
        } catch (RuntimeException failure) {
            refused = failure.toString();
        }
        if (warned.add(id)) {
            LOG.warn("the commit metadata function failed for {}, which is committed without: {}", id, refused);
        }
        return "";
    }

    /** The part of a commit's metadata that this assignment may have to commit again when it changes. */
    static String setOf(OffsetAndMetadata commit) {
        return CommitText.setOf(commit.metadata());
    }

    /** Asks for the metadata of the partitions' last commits, and notes what is finished. Blocks for a moment. */
    void restore(Collection<TopicPartition> ids, Map<TopicPartition, AssignedPartition> assignment, long nanos) {
        if (maxChars == 0 || ids.isEmpty()) {
            return;
        }
        try {
            committed(Set.copyOf(ids), nanos).forEach((id, commit) -> {
                AssignedPartition partition = assignment.get(id);
                if (commit != null && partition != null) {
                    partition.finishedEarlier = finished(id, commit);
                }
            });
        } catch (KafkaException failure) {
            LOG.warn("no commit metadata of {}; what was finished past their commits is repeated: {}", ids, failure);
        }
    }

    private FinishedSet finished(TopicPartition id, OffsetAndMetadata commit) {
        try {
            return CommitText.decode(commit.offset(), commit.metadata()).finished();
        } catch (IllegalArgumentException unreadable) {
            LOG.warn(
                    "ignored the metadata of the commit of {}@{}: {}; what was finished past it is repeated",
                    id,
                    commit.offset(),
                    unreadable.getMessage());
            return FinishedSet.EMPTY;
        }
    }

    /** The last commits of partitions, asked for within so long. Blocks. */
    Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> ids, long nanos) {
        long deadlineNanos = clock.nanoTime() + nanos;
        while (true) {
            long left = Math.max(0, deadlineNanos - clock.nanoTime());
            try {
                return client.committed(ids, Duration.ofNanos(left));
            } catch (WakeupException late) {
                // Meant for the poll before this.
                if (left == 0) {
                    throw late;
                }
            }
        }
    }
}
