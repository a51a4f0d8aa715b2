package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.BatchEmission;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.FlowControl;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.fetch.FetchResult;
import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.fetch.LeaderEpochs;
import dev.weir.kafka.internal.in.fetch.OwnerWaits;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.fetch.UnreadableBatch;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.position.StartPositions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.jspecify.annotations.Nullable;

/** Polls, and emits the records that arrive. Confined to the owner thread. */
final class PollIntake {

    /** Maximum duration of a poll. Snapshots would be outdated after a longer one. */
    private static final long MAX_POLL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final OwnerWaits waiting;
    private final RecordFetcher fetcher;
    private final PartitionAssignment assignment;
    private final FlowControl flow;
    private final BatchEmission emission;
    private final StartPositions positions;
    private final UnreadableBatches unreadable;
    private final ConsumerObserver observer;
    private final OwnerClock clock;

    /** The failure of an emission within a rebalance callback. Thrown after the callback; null if there is none. */
    private @Nullable Throwable failure;

    PollIntake(
            OwnerWaits waiting,
            RecordFetcher fetcher,
            PartitionAssignment assignment,
            FlowControl flow,
            BatchEmission emission,
            StartPositions positions,
            ConsumerObserver observer,
            OwnerClock clock,
            ConsumerSettings<?, ?> settings,
            ConsumerPlan plan) {
        this.waiting = waiting;
        this.fetcher = fetcher;
        this.assignment = assignment;
        this.flow = flow;
        this.emission = emission;
        this.positions = positions;
        this.unreadable = UnreadableBatches.by(settings, plan, assignment, emission, flow, fetcher);
        this.observer = observer;
        this.clock = clock;
    }

    /** Polls once, for at most {@code nanos} and at most one second. Rebalance callbacks run inside the poll. */
    void poll(long nanos) {
        try {
            emit(waiting.poll(Math.min(nanos, MAX_POLL_NANOS)));
            observer.polled();
        } catch (InvalidOffsetException unknown) {
            positions.unknown(unknown);
        } catch (UnreadableBatch.Found found) {
            unreadable.found(found.batch());
        }
    }

    /**
     * Waits during a rebalance until a signal arrives or {@code nanos} have passed. If a separate client fetches the
     * records, this method keeps reading the partitions that the member retains. It stops reading if an emission fails.
     * {@link #poll} throws the failure after the callback.
     */
    void waitInRebalance(long nanos) {
        long endNanos = clock.nanoTime() + nanos;
        long left = nanos;
        while (canRead() && left > 0 && !waiting.isCallbackSignalled()) {
            try {
                flow.resumeLow(assignment.all(), fetcher);
                emit(waiting.fetchOnly(left));
            } catch (RuntimeException | Error thrown) {
                failure = thrown;
            }
            left = endNanos - clock.nanoTime();
        }
        if (!canRead() && left > 0) {
            waiting.park(left);
        }
    }

    /** Returns whether {@link #waitInRebalance} can read records. */
    private boolean canRead() {
        return failure == null && fetcher.canFetchOnly();
    }

    private void throwFailure() {
        switch (failure) {
            case null -> {}
            case Error error -> throw error;
            case RuntimeException unchecked -> throw unchecked;
            default -> throw new AssertionError(failure);
        }
    }

    private void emit(FetchResult records) {
        int done = 0;
        try {
            throwFailure();
            for (; done < records.partitions(); done++) {
                AssignedPartition partition = assignment.get(records.partition(done));
                if (partition != null) {
                    emit(partition, records.elements(done));
                }
            }
        } finally {
            drop(records, done);
            emission.announce();
        }
        if (!records.isEmpty()) {
            flow.afterPoll(assignment.all(), fetcher);
        }
    }

    /**
     * Marks the records of partitions from index {@code from} on as dropped. The last commit of a failed run must not
     * cover records that were never emitted.
     */
    private void drop(FetchResult records, int from) {
        for (int i = from; i < records.partitions(); i++) {
            AssignedPartition partition = assignment.get(records.partition(i));
            if (partition != null) {
                long first = records.elements(i).getFirst().offset();
                partition.dropped(Math.max(first, partition.tracker().nextOffset()));
            }
        }
    }

    private void emit(AssignedPartition partition, List<Fetched> records) {
        int ofAnotherLog = partition.epochs().note(records);
        if (ofAnotherLog != LeaderEpochs.NONE) {
            // Do not emit the list: more of its records may belong to another log.
            positions.ofAnotherLog(partition, records.get(ofAnotherLog));
            return;
        }
        emission.emit(partition, records);
        partition.advance();
        flow.afterFetch(partition, fetcher);
    }
}
