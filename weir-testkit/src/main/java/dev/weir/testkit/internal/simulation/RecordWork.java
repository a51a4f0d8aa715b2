package dev.weir.testkit.internal.simulation;

import dev.weir.testkit.SimulatedFailure;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Work on one record that has begun and takes until {@code dueNanos}. Its future is completed by the world, which then
 * signals the condition.
 *
 * @param lane what must be worked on one after the other
 * @param attempt which time this record is worked on, from 1
 * @param ended of the ledger's lock
 * @param failure what it ends with instead of being done, or null
 */
record RecordWork(
        TopicPartition id,
        long offset,
        int assignment,
        Ledger.Lane lane,
        int attempt,
        long dueNanos,
        CompletableFuture<Void> done,
        Condition ended,
        @Nullable SimulatedFailure failure) {

    /** Orders work by its end; never equal for two at once, whatever threads they came from. */
    static final Comparator<RecordWork> BY_END = Comparator.comparingLong(RecordWork::dueNanos)
            .thenComparing(work -> work.id.toString())
            .thenComparingLong(RecordWork::offset)
            .thenComparingInt(RecordWork::attempt);

    @Override
    public String toString() {
        return id + "@" + offset;
    }
}
