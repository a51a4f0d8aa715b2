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
 * @param endOffsets the end offsets of a bounded read; {@link AssignedPartition#UNKNOWN} for a partition whose end
 *     could not be determined at the start
 * @param delivery how records are acknowledged and offsets are committed
 * @param external the positions stored outside Kafka; null if there are none
 * @param ungrouped the initial partitions of a source without a consumer group; otherwise empty
 */
public record ConsumerPlan(
        Subscription subscription,
        Map<TopicPartition, Long> endOffsets,
        Delivery delivery,
        @Nullable ExternalOffsets external,
        Set<TopicPartition> ungrouped) {

    private static final int PRIORITISED_BATCH = 64;

    /** A delivery guarantee: how records are acknowledged and offsets are committed. */
    public sealed interface Delivery {

        /** Returns whether offsets are committed. */
        boolean commits();

        /**
         * Returns whether each record is acknowledged individually. If not, a batch is acknowledged when the pipeline
         * pulls it.
         */
        boolean isTracked();

        /** Returns whether an unreadable batch is emitted as a record that cannot be decoded. */
        default boolean takesUnreadable() {
            return false;
        }

        /**
         * Tracks each record and commits finished ones.
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
         * @param isTracked whether each record is tracked until it is finished; if not, a batch counts as outstanding
         *     until the pipeline pulls it
         */
        record Plain(boolean isTracked) implements Delivery {

            @Override
            public boolean commits() {
                return false;
            }
        }

        /**
         * Emits a batch only once a commit covers it. The batch counts as outstanding until the pipeline pulls it.
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

    /** Returns a description of the topics or partitions to read. */
    public String reads() {
        return subscription.selection().toString();
    }

    /**
     * Returns the maximum number of records per batch. Batches are smaller if there are priorities, because a record
     * with a high priority waits for the current batch.
     */
    public int batchSize() {
        return subscription.priorities().isNone() ? Batch.DEFAULT_CAPACITY : PRIORITISED_BATCH;
    }

    /** Returns whether each record is acknowledged individually. */
    public boolean isTracked() {
        return delivery.isTracked();
    }
}
