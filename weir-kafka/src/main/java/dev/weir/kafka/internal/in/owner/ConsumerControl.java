package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.Position;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.DroppedRecords.Reason;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.buffer.PausedPartitions;
import dev.weir.kafka.internal.in.lookup.ConsumerPhase;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.kafka.internal.in.position.StartPositions;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.TopicPartition;

/**
 * The handle with which users inspect and control a consumer. Any thread may call it, except for the methods under
 * "Owner thread".
 */
final class ConsumerControl implements ConsumerHandle {

    private static final CompletionStage<Void> DONE = CompletableFuture.completedStage(null);

    private final OwnerThread owner;
    private final ConsumerObserver observer;
    private final PausedPartitions pauses;
    private final PartitionAssignment assignment;
    private final StartPositions positions;
    private final Runnable onPausesChanged;
    private final FlowLimits limits;
    private final Queue<CompletableFuture<Void>> seeks = new ConcurrentLinkedQueue<>();

    /**
     * Creates a handle.
     *
     * @param onPausesChanged called after the user has paused or resumed partitions, on the user's thread
     */
    ConsumerControl(
            OwnerThread owner,
            ConsumerObserver observer,
            PausedPartitions pauses,
            PartitionAssignment assignment,
            StartPositions positions,
            Runnable onPausesChanged,
            FlowLimits limits) {
        this.owner = owner;
        this.observer = observer;
        this.pauses = pauses;
        this.assignment = assignment;
        this.positions = positions;
        this.onPausesChanged = onPausesChanged;
        this.limits = limits;
    }

    FlowLimits limits() {
        return limits;
    }

    @Override
    public ConsumerSnapshot snapshot() {
        return observer.snapshot();
    }

    @Override
    public ConsumerSnapshot snapshot(Duration within) {
        long nanos = within.toNanos();
        CompletableFuture<ConsumerSnapshot> fresh = new CompletableFuture<>();
        if (!hasEnded()) {
            owner.execute(() -> {
                observer.look();
                fresh.complete(observer.snapshot());
            });
            try {
                return fresh.get(nanos, TimeUnit.NANOSECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException busy) {
                // The owner thread is busy or ending. Return the last snapshot.
            }
        }
        return snapshot();
    }

    @Override
    public long outstandingBytes() {
        return observer.outstandingBytes();
    }

    @Override
    public ConsumerDump dump() {
        return observer.dump();
    }

    @Override
    public ConsumerDump outline() {
        return observer.outline();
    }

    @Override
    public ConsumerHealth health(Duration stall) {
        return observer.health(stall);
    }

    @Override
    public CompletionStage<Void> pause() {
        pauses.pauseAll();
        return changed();
    }

    @Override
    public boolean isPaused() {
        return pauses.isAllPaused();
    }

    @Override
    public CompletionStage<Void> pauseAllBut(Collection<TopicPartition> partitions) {
        pauses.pauseAllBut(partitions);
        return changed();
    }

    @Override
    public CompletionStage<Void> pause(String topic) {
        pauses.pause(topic);
        return changed();
    }

    @Override
    public CompletionStage<Void> pause(Collection<TopicPartition> partitions) {
        pauses.pause(partitions);
        return changed();
    }

    @Override
    public CompletionStage<Void> resume() {
        pauses.resumeAll();
        return changed();
    }

    @Override
    public CompletionStage<Void> resume(String topic) {
        pauses.resume(topic);
        return changed();
    }

    @Override
    public CompletionStage<Void> resume(Collection<TopicPartition> partitions) {
        pauses.resume(partitions);
        return changed();
    }

    private CompletionStage<Void> changed() {
        onPausesChanged.run();
        return DONE;
    }

    @Override
    public CompletionStage<Void> seek(Map<TopicPartition, Position> positions) {
        // Completes on a virtual thread, because the user's continuations may wait for the owner thread, for example
        // for the end of the run.
        return request(positions)
                .whenCompleteAsync((none, failure) -> {}, Thread::startVirtualThread)
                .minimalCompletionStage();
    }

    /** Requests a seek. The owner thread completes the result. */
    CompletableFuture<Void> request(Map<TopicPartition, Position> positions) {
        Map<TopicPartition, Position> wanted = Map.copyOf(positions);
        CompletableFuture<Void> done = new CompletableFuture<>();
        seeks.add(done);
        owner.execute(() -> seek(wanted, done));
        if (hasEnded()) {
            endSeeks();
        }
        return done;
    }

    private boolean hasEnded() {
        return owner.phase() == ConsumerPhase.CLOSED;
    }

    private void endSeeks() {
        for (CompletableFuture<Void> done = seeks.poll(); done != null; done = seeks.poll()) {
            done.completeExceptionally(new IllegalStateException("the consumer has ended"));
        }
    }

    // ---- Owner thread ----------------------------------------------------------------------------------------------

    private void seek(Map<TopicPartition, Position> wanted, CompletableFuture<Void> done) {
        List<AssignedPartition> partitions = assignment.current(wanted.keySet());
        if (!owner.isEmitting()) {
            done.completeExceptionally(new IllegalStateException("the consumer has stopped"));
        } else if (partitions.size() < wanted.size()) {
            done.completeExceptionally(new IllegalArgumentException(
                    "not all of these are assigned to this consumer: " + wanted.keySet() + ", only " + partitions));
        } else {
            Map<AssignedPartition, Position> renewed = new HashMap<>();
            for (AssignedPartition partition : partitions) {
                renewed.put(assignment.renew(partition), wanted.getOrDefault(partition.id(), Position.end()));
                assignment.dropped().add(List.of(partition), Reason.SEEK);
            }
            positions.place(renewed, allPlaced -> {
                if (allPlaced) {
                    done.complete(null);
                } else {
                    done.completeExceptionally(new IllegalStateException(
                            "a partition was revoked before it was at its new position: " + wanted.keySet()));
                }
            });
        }
        seeks.removeIf(CompletableFuture::isDone);
    }

    /** Fails all pending seeks. Called in {@link ConsumerPhase#CLOSED}. */
    void ended() {
        endSeeks();
    }
}
