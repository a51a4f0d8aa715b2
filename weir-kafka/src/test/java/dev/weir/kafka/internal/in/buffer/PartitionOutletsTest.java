package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class PartitionOutletsTest {

    private static final int PARTITIONS = 50_000;

    private final PartitionOutlets outlets = new PartitionOutlets(Clock.SYSTEM);
    private final SteppingClock clock = new SteppingClock();
    private final StageMeter meter = new StageMeter();

    private static AssignedPartition partition(int number) {
        return new AssignedPartition(new TopicPartition("t", number), new OffsetTracker(1, () -> {}), Long.MAX_VALUE);
    }

    /** The number of partitions taken, and the number of them that had no buffer yet. */
    private record Taken(int all, int unready) {}

    private Taken takeAll() {
        StageMeter meter = new StageMeter();
        int all = 0;
        int unready = 0;
        try {
            List<AssignedPartition> taken = outlets.take(Stage.NEVER, meter);
            for (; taken != null; taken = outlets.take(Stage.NEVER, meter)) {
                for (AssignedPartition partition : taken) {
                    all++;
                    unready += hasBuffer(partition) ? 0 : 1;
                }
            }
        } catch (InterruptedException stop) {
            throw new AssertionError(stop);
        }
        return new Taken(all, unready);
    }

    @SuppressWarnings({"ConstantValue", "RedundantNullCheck"}) // the test verifies that it is never null
    private static boolean hasBuffer(AssignedPartition partition) {
        return partition.outlet() != null;
    }

    @Test
    void open_whileAnotherThreadTakes_announcesThePartitionWithItsBuffer() {
        CompletableFuture<Taken> taken = CompletableFuture.supplyAsync(
                this::takeAll, task -> Thread.ofPlatform().daemon().start(task));
        for (int i = 0; i < PARTITIONS; i++) {
            outlets.open(partition(i));
        }
        outlets.end();
        assertThat(taken.join()).isEqualTo(new Taken(PARTITIONS, 0));
    }

    @Test
    void withdrawn_beforeItWasTaken_isNotAnnouncedAndEnds() throws InterruptedException {
        AssignedPartition gone = partition(0);
        AssignedPartition kept = partition(1);
        outlets.open(gone);
        outlets.open(kept);
        outlets.withdrawn(List.of(gone));
        assertThat(outlets.take(Stage.NEVER, new StageMeter())).containsExactly(kept);
        Batch<?> none = gone.outlet().take(Stage.NEVER, new StageMeter());
        assertThat(none).isNull();
    }

    private static void add(AssignedPartition partition) {
        long token = partition.tracker().append(0, 1);
        partition.outlet().add(partition, Batch.of(new Object[1], 1, partition.tracker(), new long[] {token}));
    }

    @Test
    void take_withoutPartitions_waitsUntilTheDeadline() throws InterruptedException {
        PartitionOutlets stepped = new PartitionOutlets(clock);
        assertThat(stepped.take(500, meter)).isEmpty();
        assertThat(clock.deadlines).containsExactly(500L);
        assertThat(stepped.take(500, meter)).isEmpty();
        assertThat(clock.deadlines).hasSize(1);
        AssignedPartition one = partition(0);
        AssignedPartition two = partition(1);
        AtomicBoolean blocked = new AtomicBoolean();
        clock.actions.add(() -> {
            blocked.set(meter.isBlockedUp());
            stepped.open(one);
            stepped.open(two);
        });
        assertThat(stepped.take(900, meter)).containsExactly(one, two);
        assertThat(blocked).isTrue();
        assertThat(meter.isBlockedUp()).isFalse();
        assertThat(stepped.take(clock.nanos, meter)).as("each once").isEmpty();
    }

    @Test
    void take_withPartitions_doesNotWait() throws InterruptedException {
        PartitionOutlets stepped = new PartitionOutlets(clock);
        AssignedPartition one = partition(0);
        stepped.open(one);
        assertThat(stepped.take(900, meter)).containsExactly(one);
        assertThat(clock.deadlines).isEmpty();
        assertThat(meter.blockedUpNanos()).isZero();
    }

    @Test
    void end_endsTheBuffersAndTheStream_afterTheLastPartitions() throws InterruptedException {
        PartitionOutlets stepped = new PartitionOutlets(clock);
        AssignedPartition one = partition(0);
        stepped.open(one);
        add(one);
        clock.actions.add(stepped::end);
        assertThat(stepped.take(900, meter)).containsExactly(one);
        assertThat(stepped.take(900, meter)).as("the end ends a wait").isNull();
        assertThat(stepped.take(900, meter)).isNull();
        assertThat(clock.deadlines).hasSize(1);
        assertThat(one.outlet().take(900, meter)).isNotNull();
        assertThat(one.outlet().take(900, meter)).isNull();
    }

    @Test
    void partitionAnnouncedBeforeTheEnd_isStillTaken() throws InterruptedException {
        PartitionOutlets stepped = new PartitionOutlets(clock);
        AssignedPartition one = partition(0);
        stepped.open(one);
        stepped.end();
        assertThat(stepped.take(900, meter)).containsExactly(one);
        assertThat(stepped.take(900, meter)).isNull();
    }

    @Test
    void records_areCountedInTheOpenBuffers() throws InterruptedException {
        AssignedPartition one = partition(0);
        AssignedPartition two = partition(1);
        outlets.open(one);
        outlets.open(two);
        add(one);
        add(two);
        assertThat(one.outlet()).isNotSameAs(two.outlet());
        assertThat(outlets.records()).isEqualTo(2);
        assertThat(outlets.ready()).isEqualTo(2);
        assertThat(outlets.take(Stage.NEVER, meter)).containsExactly(one, two);
        outlets.withdrawn(List.of(two));
        assertThat(outlets.records()).isEqualTo(1);
    }

    @Test
    void delayedRecords_haveTheirDueTimesInEachBuffer() {
        AtomicInteger made = new AtomicInteger();
        PartitionOutlets delayed = new PartitionOutlets(clock, () -> {
            made.incrementAndGet();
            return new DueRecords(record -> 1, () -> 0);
        });
        AssignedPartition one = partition(0);
        delayed.open(one);
        delayed.open(partition(1));
        add(one);
        assertThat(made).hasValue(2);
        assertThat(one.outlet().watchReady(0, 0, () -> {}))
                .as("a delayed buffer")
                .isFalse();
    }

    @Test
    void everyMethod_releasesTheLock() {
        AssignedPartition one = partition(0);
        List<Runnable> calls = List.of(
                () -> outlets.open(one), () -> outlets.withdrawn(List.of(one)), () -> outlets.end(), () -> takeAll());
        for (int i = 0; i < calls.size(); i++) {
            calls.get(i).run();
            assertThat(OtherThread.canCall(() -> {
                        outlets.open(partition(1));
                        outlets.withdrawn(List.of());
                        return outlets;
                    }))
                    .as("after call %s", i)
                    .isTrue();
        }
    }
}
