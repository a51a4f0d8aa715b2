package dev.weir.kafka.internal.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.offsets.OffsetTracker;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordBufferTest {

    private final VirtualClock clock = new VirtualClock();
    private final RecordBuffer buffer = new RecordBuffer(clock);
    private final AssignedPartition a = partition(0);
    private final AssignedPartition b = partition(1);

    private static AssignedPartition partition(int number) {
        return new AssignedPartition(new TopicPartition("t", number), new OffsetTracker(100, () -> {}), Long.MAX_VALUE);
    }

    private void fetch(AssignedPartition partition, String... names) {
        for (String name : names) {
            long token = partition.tracker.append(partition.tracker.outstanding(), 1);
            buffer.add(partition, Batch.of(new Object[] {name}, 1, partition.tracker, new long[] {token}));
        }
    }

    /** What is there, "-" for nothing, null for the end. */
    private @Nullable String next() throws InterruptedException {
        return next(clock.nanoTime());
    }

    private @Nullable String next(long deadlineNanos) throws InterruptedException {
        Batch<ConsumerRecord<byte[], byte[]>> batch = buffer.take(deadlineNanos, new StageMeter());
        if (batch == null) {
            return null;
        }
        return batch.isEmpty() ? "-" : String.valueOf(batch.<String>retyped().get(0));
    }

    @Test
    void partitions_areTakenFromInTurn() throws InterruptedException {
        fetch(a, "a1", "a2", "a3");
        fetch(b, "b1", "b2");
        assertThat(List.of(next(), next(), next(), next(), next(), next()))
                .containsExactly("a1", "b1", "a2", "b2", "a3", "-");
        assertThat(buffer.records()).isZero();
    }

    @Test
    void heldPartition_keepsItsRecordsWhileOthersFlow() throws InterruptedException {
        fetch(a, "a1", "a2");
        fetch(b, "b1");
        buffer.hold(a, true);
        fetch(a, "a3");
        fetch(b, "b2");
        assertThat(List.of(next(), next(), next())).containsExactly("b1", "b2", "-");
        assertThat(buffer.records()).isEqualTo(3);
        buffer.hold(a, false);
        buffer.hold(a, false);
        assertThat(List.of(next(), next(), next(), next())).containsExactly("a1", "a2", "a3", "-");
    }

    @Test
    void end_withRecordsHeld_waitsForThem() throws InterruptedException {
        fetch(a, "a1");
        buffer.hold(a, true);
        buffer.end();
        assertThat(next()).isEqualTo("-");
        buffer.hold(a, false);
        assertThat(next()).isEqualTo("a1");
        assertThat(next()).isNull();
    }

    @Test
    void purge_dropsOnlyWhatItIsToldAndNamesTheFirst() throws InterruptedException {
        fetch(a, "a1", "a2", "a3");
        fetch(b, "b1", "b2");
        assertThat(next()).isEqualTo("a1");
        assertThat(buffer.purge(List.of(a))).containsExactly(Map.entry(a, 1L));
        assertThat(buffer.purge(List.of(a))).isEmpty();
        assertThat(List.of(next(), next(), next())).containsExactly("b1", "b2", "-");
    }

    @Test
    void purge_ofAllThatIsHeldAfterTheEnd_endsAWaitingTake() throws Exception {
        fetch(a, "a1");
        buffer.hold(a, true);
        buffer.end();
        CompletableFuture<Boolean> atEnd = CompletableFuture.supplyAsync(() -> {
            try {
                return next(Stage.NEVER) == null;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        buffer.purge(List.of(a));
        assertThat(atEnd.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void take_untilADeadline_waitsByTheRunsClock() throws Exception {
        CompletableFuture<@Nullable String> taken = CompletableFuture.supplyAsync(() -> {
            try {
                return next(Duration.ofHours(1).toNanos());
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        clock.awaitWaiters(1);
        clock.advance(Duration.ofHours(1));
        assertThat(taken.get(30, TimeUnit.SECONDS)).isEqualTo("-");
    }
}
