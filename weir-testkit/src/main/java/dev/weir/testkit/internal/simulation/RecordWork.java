package dev.weir.testkit.internal.simulation;

import dev.weir.testkit.SimulatedFailure;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Simulated work on one record, which has begun and will end at {@code dueNanos}. When the work ends, the simulation
 * completes {@code done} and then signals {@code ended}.
 *
 * @param sequence the sequence that the record belongs to; work in the same sequence must not overlap
 * @param attempt number of this attempt at the record, starting at 1
 * @param ended a condition of the ledger's lock
 * @param failure the failure with which the work ends; null if it succeeds
 */
record RecordWork(
        TopicPartition id,
        long offset,
        int assignment,
        Ledger.Sequence sequence,
        int attempt,
        long dueNanos,
        CompletableFuture<Void> done,
        Condition ended,
        @Nullable SimulatedFailure failure) {

    /** Orders work by its end, then by record and attempt. The order does not depend on the timing of threads. */
    static final Comparator<RecordWork> BY_END = Comparator.comparingLong(RecordWork::dueNanos)
            .thenComparing(work -> work.id.toString())
            .thenComparingLong(RecordWork::offset)
            .thenComparingInt(RecordWork::attempt);

    @Override
    public String toString() {
        return id + "@" + offset;
    }
}
