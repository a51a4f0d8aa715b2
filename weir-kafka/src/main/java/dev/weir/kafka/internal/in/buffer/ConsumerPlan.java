package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.Subscription;
import dev.weir.stream.spi.Batch;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The fixed parameters of a consumer run. Immutable.
 *
 * @param subscription the records to read
 * @param endOffsets the ends of a bounded read; {@link AssignedPartition#UNKNOWN} if no broker could report the end at
 *     the start
 * @param delivery the treatment of acknowledgements and commits
 * @param external the positions stored outside Kafka; null if there are none
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

        /** Returns whether offsets are committed. */
        boolean commits();

        /**
         * Returns whether each record is acknowledged individually. Otherwise the first token of a batch stands for the
         * batch until it is pulled.
         */
        boolean isTracked();

        /** Returns whether an unreadable batch is emitted as a record that cannot be decoded. */
        default boolean takesUnreadable() {
            return false;
        }

        /**
         * Tracks each record and commits the finished prefix.
         *
         * @param takesUnreadable whether an unreadable batch is emitted as a record that cannot be decoded
         */
        record Committable(boolean takesUnreadable) implements Delivery {

            public Committable() {
                this(false);
            }

            @Override
            public boolean commits() {
                return true;
            }

            @Override
            public boolean isTracked() {
                return true;
            }
        }

        /**
         * Commits nothing.
         *
         * @param isTracked whether each record is tracked, so that a listener is notified of a revocation only after
         *     all work on revoked partitions is finished or dropped; otherwise a batch counts as outstanding until the
         *     pipeline pulls it
         */
        record Plain(boolean isTracked) implements Delivery {

            @Override
            public boolean commits() {
                return false;
            }
        }

        /**
         * Emits a batch only after a commit that covers it is confirmed. The batch counts as outstanding until the
         * pipeline pulls it.
         *
         * @param commitAhead maximum number of records that are committed but not yet pulled
         */
        record AtMostOnce(int commitAhead) implements Delivery {

            @Override
            public boolean commits() {
                return true;
            }

            @Override
            public boolean isTracked() {
                return false;
            }
        }
    }

    /** Returns a human-readable description of the selection that the consumer reads. */
    public String reads() {
        return subscription.selection().toString();
    }

    /** Creates a plan for the records of a share group. */
    static ConsumerPlan committable(Subscription subscription, Map<TopicPartition, Long> endOffsets) {
        return new ConsumerPlan(subscription, endOffsets, new Delivery.Committable(), null, Set.of());
    }

    /**
     * Returns the number of records per batch. It is lower with priorities, because a record of higher priority must
     * wait for the batch before it.
     */
    public int batchSize() {
        return subscription.priorities().isNone() ? Batch.DEFAULT_CAPACITY : PRIORITISED_BATCH;
    }

    /** Returns whether each record is acknowledged individually; see {@link Delivery#isTracked}. */
    public boolean isTracked() {
        return delivery.isTracked();
    }
}
