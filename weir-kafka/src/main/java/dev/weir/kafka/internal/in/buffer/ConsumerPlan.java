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
 * @param ungrouped the initial partitions if the source has no consumer group; otherwise empty
 */
public record ConsumerPlan(
        Subscription subscription,
        Map<TopicPartition, Long> endOffsets,
        Delivery delivery,
        @Nullable ExternalOffsets external,
        Set<TopicPartition> ungrouped) {

    private static final int PRIORITISED_BATCH = 64;

    /** A delivery guarantee, which determines how records are acknowledged and offsets are committed. */
    public sealed interface Delivery {

        /** Returns whether offsets are committed. */
        boolean commits();

        /**
         * Returns whether each record is acknowledged individually. If not, each batch has a single token, which is
         * acknowledged when the pipeline pulls the batch.
         */
        boolean isTracked();

        /** Returns whether an unreadable batch is emitted as a record that cannot be decoded. */
        default boolean takesUnreadable() {
            return false;
        }

        /**
         * Tracks each record, and commits the offset before which all records are finished.
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
         *     only until the pipeline pulls it. With tracking, a listener is notified of a revocation only after all
         *     work on the revoked partitions is finished or dropped.
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

    /** Returns a human-readable description of the topics or partitions that the consumer reads. */
    public String reads() {
        return subscription.selection().toString();
    }

    /**
     * Returns the maximum number of records per batch. Batches are smaller if there are priorities: a record with a
     * high priority has to wait until the batch being processed is finished.
     */
    public int batchSize() {
        return subscription.priorities().isNone() ? Batch.DEFAULT_CAPACITY : PRIORITISED_BATCH;
    }

    /** Returns whether each record is acknowledged individually; see {@link Delivery#isTracked}. */
    public boolean isTracked() {
        return delivery.isTracked();
    }
}
