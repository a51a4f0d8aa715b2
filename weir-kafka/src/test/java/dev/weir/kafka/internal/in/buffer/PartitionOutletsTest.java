package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class PartitionOutletsTest {

    private static final int PARTITIONS = 50_000;

    private final PartitionOutlets outlets = new PartitionOutlets(Clock.SYSTEM);

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
}
