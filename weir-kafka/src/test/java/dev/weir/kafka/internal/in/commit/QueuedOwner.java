package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.BatchEmission;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.DroppedRecords;
import dev.weir.kafka.internal.in.buffer.FlowControl;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.buffer.PausedPartitions;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.buffer.RecordOutlets;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.lookup.ConsumerPhase;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.stream.testing.VirtualClock;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** An owner thread whose requests run when the test says so. Confined to one thread. */
public final class QueuedOwner implements OwnerThread {

    public ConsumerPhase phase = ConsumerPhase.RUNNING;

    private final ArrayDeque<Runnable> requests = new ArrayDeque<>();

    public void run() {
        while (!requests.isEmpty()) {
            requests.remove().run();
        }
    }

    /** Creates an empty assignment. */
    public PartitionAssignment assignment(RecordFetcher fetcher, ConsumerSettings<?, ?> settings, OwnerClock clock) {
        ConsumerPlan plan =
                new ConsumerPlan(Subscription.topics("t"), Map.of(), new Delivery.Committable(), null, Set.of());
        return assignment(fetcher, settings, clock, plan);
    }

    /** Creates an empty assignment of this owner for the given plan. */
    public PartitionAssignment assignment(
            RecordFetcher fetcher, ConsumerSettings<?, ?> settings, OwnerClock clock, ConsumerPlan plan) {
        RecordOutlets outlets = RecordOutlets.single(new RecordBuffer(new VirtualClock()));
        return new PartitionAssignment(
                plan,
                fetcher,
                outlets,
                new FlowControl(settings, 1, 1_000, clock, () -> {}),
                new BatchEmission(plan, null, outlets, this),
                new PausedPartitions(),
                100,
                this,
                new DroppedRecords(true));
    }

    @Override
    public void execute(Runnable request) {
        requests.add(request);
    }

    @Override
    public void wake() {}

    @Override
    public ConsumerPhase phase() {
        return phase;
    }

    @Override
    public void fail(Throwable failure) {
        throw new AssertionError(failure);
    }

    @Override
    public long withinPatience(long nanos) {
        return nanos;
    }

    @Override
    public boolean awaitOrEnd(CompletableFuture<?> done) {
        return false;
    }
}
