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
 * @param subscription which records
 * @param endOffsets the ends of a bounded read; {@link AssignedPartition#UNKNOWN} where no broker
 *     could tell at the start
 * @param delivery what becomes of acknowledgements and commits
 * @param external where positions are kept outside Kafka, if they are
 * @param ungrouped the partitions to begin with of a source without a group; empty with a group
 */
public record ConsumerPlan(
        Subscription subscription,
        Map<TopicPartition, Long> endOffsets,
        Delivery delivery,
        @Nullable ExternalOffsets external,
        Set<TopicPartition> ungrouped) {

    private static final int PRIORITISED_BATCH = 64;

    /** Decides about acknowledgements and commits. */
    public sealed interface Delivery {

        /**
         * Each record is tracked, the finished prefix is committed.
         *
         * @param takesUnreadable whether a batch that cannot be read goes on as a record that cannot be decoded
         */
        record Committable(boolean takesUnreadable) implements Delivery {

            public Committable() {
                this(false);
            }
        }

        /**
         * Nothing is committed.
         *
         * @param tracked whether somebody is told of revocations, who is to find all work on what was revoked finished
         *     or dropped: then each record is tracked. Otherwise a batch counts until the pipeline pulls it
         */
        record Plain(boolean tracked) implements Delivery {}

        /**
         * A batch counts until the pipeline pulls it, and goes out only when a commit past it is confirmed.
         *
         * @param commitAhead records that may be committed and not yet pulled
         */
        record AtMostOnce(int commitAhead) implements Delivery {}
    }

    /** Returns the name of all that the consumer reads, for people. */
    public String reads() {
        return subscription.selection().toString();
    }

    /** A plan for records that a group shares. */
    static ConsumerPlan committable(Subscription subscription, Map<TopicPartition, Long> endOffsets) {
        return new ConsumerPlan(subscription, endOffsets, new Delivery.Committable(), null, Set.of());
    }

    /** Records per batch: fewer where some go before others, as what goes first waits for the batch before it. */
    public int batchSize() {
        return subscription.priorities().isNone() ? Batch.DEFAULT_CAPACITY : PRIORITISED_BATCH;
    }

    public boolean isCommittable() {
        return delivery instanceof Delivery.Committable;
    }

    /** Returns whether a batch that cannot be read goes on as a record that cannot be decoded. */
    public boolean takesUnreadable() {
        return delivery instanceof Delivery.Committable committable && committable.takesUnreadable;
    }

    /**
     * Returns whether each record is acknowledged; otherwise the first token of a batch stands for it until it is
     * pulled.
     */
    public boolean isTracked() {
        return isCommittable() || (delivery instanceof Delivery.Plain plain && plain.tracked);
    }
}
