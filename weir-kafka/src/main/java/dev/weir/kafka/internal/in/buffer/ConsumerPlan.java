package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.Subscription;
import dev.weir.stream.spi.Batch;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The plan of a consumer. Immutable.
 *
 * @param subscription the records to read
 * @param endOffsets the ends of a bounded read; {@link AssignedPartition#UNKNOWN} if no broker could answer at the
 *     start
 * @param delivery the treatment of acknowledgements and commits
 * @param external the positions kept outside Kafka, if there are any
 * @param ungrouped the initial partitions of a source without a group; empty with a group
 */
public record ConsumerPlan(
        Subscription subscription,
        Map<TopicPartition, Long> endOffsets,
        Delivery delivery,
        @Nullable ExternalOffsets external,
        Set<TopicPartition> ungrouped) {

    private static final int PRIORITISED_BATCH = 64;

    /** The treatment of acknowledgements and commits. */
    public sealed interface Delivery {

        /**
         * Tracks each record and commits the finished prefix.
         *
         * @param takesUnreadable whether an unreadable batch is emitted as a record that cannot be decoded
         */
        record Committable(boolean takesUnreadable) implements Delivery {

            public Committable() {
                this(false);
            }
        }

        /**
         * Commits nothing.
         *
         * @param tracked whether a listener learns of revocations after all work on revoked partitions is finished or
         *     dropped, so that each record is tracked. Otherwise a batch counts until the pipeline pulls it
         */
        record Plain(boolean tracked) implements Delivery {}

        /**
         * Emits a batch only after a commit past it is confirmed; the batch counts until the pipeline pulls it.
         *
         * @param commitAhead number of records that may be committed and not yet pulled
         */
        record AtMostOnce(int commitAhead) implements Delivery {}
    }

    /** Describes, for people, all that the consumer reads. */
    public String reads() {
        return subscription.selection().toString();
    }

    /** Makes a plan for the records of a share group. */
    static ConsumerPlan committable(Subscription subscription, Map<TopicPartition, Long> endOffsets) {
        return new ConsumerPlan(subscription, endOffsets, new Delivery.Committable(), null, Set.of());
    }

    /** Records per batch: fewer with priorities, because a record of higher priority waits for the batch before it. */
    public int batchSize() {
        return subscription.priorities().isNone() ? Batch.DEFAULT_CAPACITY : PRIORITISED_BATCH;
    }

    public boolean isCommittable() {
        return delivery instanceof Delivery.Committable;
    }

    /** Returns whether an unreadable batch is emitted as a record that cannot be decoded. */
    public boolean takesUnreadable() {
        return delivery instanceof Delivery.Committable committable && committable.takesUnreadable;
    }

    /**
     * Returns whether each record is acknowledged; otherwise a batch's first token stands for it until the batch is
     * pulled.
     */
    public boolean isTracked() {
        return isCommittable() || (delivery instanceof Delivery.Plain plain && plain.tracked);
    }
}
