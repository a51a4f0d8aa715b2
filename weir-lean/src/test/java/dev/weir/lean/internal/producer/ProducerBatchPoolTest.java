package dev.weir.lean.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.internal.batch.BatchLayout;
import dev.weir.lean.spi.InvariantException;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how senders wait for a batch (ADR 183). */
@Timeout(120)
class ProducerBatchPoolTest {

    private static final int BATCH_BYTES = 1_024;
    private static final long SMALL = 100;

    /** Size of a record that needs the space of three batches. */
    private static final long LARGE = 2 * BATCH_BYTES;

    private static final long LONG_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long DEADLINE_SECONDS = 20;

    private final AtomicInteger presses = new AtomicInteger();
    private final ArrayDeque<ProducerBatch> taken = new ArrayDeque<>();
    private final ArrayDeque<Sender> senders = new ArrayDeque<>();

    /** A thread that waits for one batch. */
    private static final class Sender {

        private final FutureTask<@Nullable ProducerBatch> task;
        private final Thread thread;

        Sender(ProducerBatchPool pool, long recordBytes, long waitNanos) {
            task = new FutureTask<>(() -> pool.take(recordBytes, waitNanos));
            thread = Thread.ofPlatform().daemon().start(task);
        }

        /** Returns once the sender waits. */
        void awaitWaiting() {
            long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
            while (thread.getState() != Thread.State.TIMED_WAITING) {
                assertThat(System.nanoTime() - deadlineNanos)
                        .as(thread.getState().toString())
                        .isNegative();
                Thread.onSpinWait();
            }
        }

        @Nullable
        ProducerBatch result() throws Exception {
            return task.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        }
    }

    @AfterEach
    void endSenders() throws Exception {
        for (Sender each : senders) {
            each.thread.interrupt();
            each.thread.join();
        }
    }

    private Sender send(ProducerBatchPool pool, long recordBytes) {
        Sender sender = new Sender(pool, recordBytes, LONG_NANOS);
        senders.add(sender);
        sender.awaitWaiting();
        return sender;
    }

    private void empty(ProducerBatchPool pool) throws InterruptedException {
        for (ProducerBatch batch = pool.take(SMALL, 0); batch != null; batch = pool.take(SMALL, 0)) {
            taken.add(batch);
        }
    }

    private void giveBack(ProducerBatchPool pool) {
        pool.release(taken.remove());
    }

    /** Returns whether a sender waits without having been woken. */
    private static boolean hasSleeper(ProducerBatchPool pool) {
        boolean unused = pool.takePressed();
        return pool.isPressed();
    }

    /** No sender checks by itself here. */
    @ParameterizedTest
    @CsvSource({"100, 8", "16, 4", "8, 2", "3, 1"})
    void sender_isWokenOnceEightBatchesOrAQuarterCanBeHad_andNotBefore(int batches, int wake) throws Exception {
        ProducerBatchPool pool =
                new ProducerBatchPool((long) batches * BATCH_BYTES, BATCH_BYTES, presses::incrementAndGet, LONG_NANOS);
        empty(pool);
        assertThat(taken).hasSize(batches);
        Sender sender = send(pool, SMALL);
        for (int batch = 1; batch < wake; batch++) {
            giveBack(pool);
            assertThat(hasSleeper(pool)).as("with %s free", batch).isTrue();
        }
        giveBack(pool);
        assertThat(sender.result()).isNotNull();
        assertThat(pool.freeBytes()).isEqualTo((wake - 1L) * BATCH_BYTES);
    }

    /** Another partition may hold most of the memory for a long time. */
    @Test
    void sender_looksByItself_whileLessIsFreeThanWakesIt() throws Exception {
        ProducerBatchPool pool = new ProducerBatchPool(16 * BATCH_BYTES, BATCH_BYTES, presses::incrementAndGet);
        empty(pool);
        Sender sender = new Sender(pool, SMALL, LONG_NANOS);
        senders.add(sender);
        sender.awaitWaiting();
        giveBack(pool);
        assertThat(sender.result()).isNotNull();
        assertThat(pool.freeBytes()).isZero();
    }

    @Test
    void senderThatFindsNoRoom_goesWithout_onceItsTimeIsOver() throws Exception {
        long lookNanos = TimeUnit.MILLISECONDS.toNanos(1);
        ProducerBatchPool pool =
                new ProducerBatchPool(16 * BATCH_BYTES, BATCH_BYTES, presses::incrementAndGet, lookNanos);
        empty(pool);
        long fromNanos = System.nanoTime();
        Sender sender = new Sender(pool, SMALL, 20 * lookNanos);
        senders.add(sender);
        assertThat(sender.result()).isNull();
        assertThat(System.nanoTime() - fromNanos).isGreaterThanOrEqualTo(20 * lookNanos);
        assertThat(pool.isPressed()).isTrue();
    }

    /** Smaller records must not take each released batch before the large record. */
    @Test
    void largeRecord_getsItsRoom_whileSmallerOnesWantThePieces() throws Exception {
        ProducerBatchPool pool =
                new ProducerBatchPool(4 * BATCH_BYTES, BATCH_BYTES, presses::incrementAndGet, LONG_NANOS);
        empty(pool);
        Sender large = send(pool, LARGE);
        for (int free = 1; free < 3; free++) {
            giveBack(pool);
            assertThat(pool.take(SMALL, 0)).as("with %s free", free).isNull();
            assertThat(pool.freeBytes()).isEqualTo((long) free * BATCH_BYTES);
        }
        Sender small = send(pool, SMALL);
        giveBack(pool);
        assertThat(Objects.requireNonNull(large.result()).writer.bytes().capacity())
                .isGreaterThan(2 * BATCH_BYTES);
        // Less than one batch is free after the large record.
        giveBack(pool);
        assertThat(small.result()).isNotNull();
    }

    /** Regression: for up to a second, the producer did not send the batches that held the memory. */
    @Test
    void senderThatGoesWithout_saysSoEachTime_thatItIsForgotten() throws Exception {
        ProducerBatchPool pool = new ProducerBatchPool(
                2 * BATCH_BYTES, BATCH_BYTES, presses::incrementAndGet, TimeUnit.MILLISECONDS.toNanos(1));
        empty(pool);
        assertThat(presses).hasValue(1);
        assertThat(pool.take(SMALL, 0)).isNull();
        assertThat(presses).as("while it is known").hasValue(1);

        assertThat(pool.takePressed()).isTrue();
        assertThat(pool.isPressed()).isFalse();
        Sender sender = send(pool, SMALL);
        assertThat(presses).as("of a sender that waits").hasValue(2);

        // The flag stays set until it is read.
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (presses.get() == 2) {
            boolean unused = pool.takePressed();
            assertThat(System.nanoTime() - deadlineNanos).isNegative();
        }
        giveBack(pool);
        assertThat(sender.result()).isNotNull();
    }

    /** The batch was released before the smaller record's sender began to wait. */
    @Test
    void smallerOnes_goOn_onceTheLargeOneHasGivenUp() throws Exception {
        ProducerBatchPool pool =
                new ProducerBatchPool(100 * BATCH_BYTES, BATCH_BYTES, presses::incrementAndGet, LONG_NANOS);
        empty(pool);
        Sender large = send(pool, LARGE);
        giveBack(pool);
        Sender small = send(pool, SMALL);
        large.thread.interrupt();
        assertThat(small.result()).isNotNull();
    }

    @Test
    void closedPool_whileSendersWait_letsThemGoWithout() throws Exception {
        ProducerBatchPool pool =
                new ProducerBatchPool(100 * BATCH_BYTES, BATCH_BYTES, presses::incrementAndGet, LONG_NANOS);
        empty(pool);
        Sender small = send(pool, SMALL);
        Sender large = send(pool, LARGE);
        pool.close();
        assertThat(small.result()).isNull();
        assertThat(large.result()).isNull();
    }

    @Test
    void batchThatIsGivenBackTwice_violatesAnInvariant_andIsHadOnce() throws InterruptedException {
        ProducerBatchPool pool = new ProducerBatchPool(2 * BATCH_BYTES, BATCH_BYTES, () -> {});
        ProducerBatch batch = Objects.requireNonNull(pool.take(SMALL, 0));
        pool.release(batch);
        assertThatExceptionOfType(InvariantException.class)
                .isThrownBy(() -> pool.release(batch))
                .withMessageContaining("invariant 53 does not hold: memory for batches is bounded by `bufferBytes`")
                .withMessageContaining("free=2048 given back=1024 of 2048");
        empty(pool);
        assertThat(taken).hasSize(2).doesNotHaveDuplicates();
    }

    /** Regression: after enough failed allocations, every send failed. */
    @Test
    void batchForWhichThereIsNoMemory_takesNoBytes() {
        long bytes = 4L * Integer.MAX_VALUE;
        ProducerBatchPool huge = new ProducerBatchPool(bytes, BATCH_BYTES, presses::incrementAndGet);
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> huge.take(Integer.MAX_VALUE - BatchLayout.HEADER_BYTES, 0));
        assertThat(huge.freeBytes()).isEqualTo(bytes);
    }
}
