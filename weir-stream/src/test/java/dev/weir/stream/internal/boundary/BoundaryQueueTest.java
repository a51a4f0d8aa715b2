package dev.weir.stream.internal.boundary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.internal.ack.RecordingTarget;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class BoundaryQueueTest {

    private final StageMeter meter = new StageMeter();
    private final BoundaryQueue<Integer> queue = new BoundaryQueue<>(4, Clock.SYSTEM);

    private static Batch<Integer> batch(int size) {
        return Batch.unacknowledged(new Object[size], size);
    }

    private int takenSize(long deadlineNanos) throws InterruptedException {
        Batch<Integer> batch = queue.take(deadlineNanos, meter);
        if (batch == null) {
            throw new AssertionError("the queue has ended");
        }
        return batch.size();
    }

    @Test
    void put_withRoomForOneElement_takesTheWholeBatch() throws Exception {
        assertThat(queue.put(batch(3), meter)).isTrue();
        assertThat(queue.put(batch(100), meter)).isTrue();
        assertThat(queue.depth()).isEqualTo(103);
    }

    @Test
    void put_intoAFullQueueThatIsCancelled_isRefused() throws Exception {
        assertThat(queue.put(batch(4), meter)).isTrue();
        Thread canceller = Thread.ofVirtual().unstarted(() -> {
            // Waits until the put waits.
            while (meter.blockedDownNanos() == 0) {
                Thread.onSpinWait();
            }
            queue.cancel();
        });
        canceller.start();
        assertThat(queue.put(batch(1), meter)).isFalse();
        assertThat(queue.depth()).isZero();
        canceller.join();
    }

    /** Regression: the element that was not revoked stayed pending. */
    @Test
    void give_whoseRevokedElementThrows_abandonsTheOthers() throws Exception {
        OutputQueue<Integer> output = new OutputQueue<>(queue, () -> false);
        assertThat(queue.put(batch(4), meter)).isTrue();
        List<Long> abandoned = new CopyOnWriteArrayList<>();
        AckTarget target = new AckTarget() {
            @Override
            public void ack(long token) {}

            @Override
            public void retain(long token, int count) {}

            @Override
            public void abandon(long token) {
                abandoned.add(token);
            }

            @Override
            public boolean isRevoked(long token) {
                return token == 0;
            }

            @Override
            public boolean dropIfRevoked(long token) {
                throw new IllegalStateException("planted");
            }
        };
        Batch<Integer> two = Batch.of(new Object[] {1, 2}, 2, target, new long[] {0, 1});
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread giver = Thread.ofVirtual().start(() -> {
            try {
                thrown.completeExceptionally(new AssertionError("given: " + output.give(two, meter)));
            } catch (InterruptedException | RuntimeException failure) {
                thrown.complete(failure);
            }
        });
        while (!meter.isBlockedDown()) {
            Thread.onSpinWait();
        }
        output.dropRevoked();
        assertThat(thrown.get()).hasMessage("planted");
        giver.join();
        assertThat(abandoned).containsExactly(1L);
    }

    /** Regression: some threads waited although there was room for all of them. */
    @Test
    void put_afterAnotherThatLeftRoom_neverSleepsOn() throws Exception {
        assertThat(queue.put(batch(4), meter)).isTrue();
        List<Thread> putters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            putters.add(Thread.ofVirtual().start(() -> {
                try {
                    boolean ignored = queue.put(batch(1), new StageMeter());
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }));
        }
        for (Thread putter : putters) {
            while (putter.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
        }
        assertThat(takenSize(Stage.NEVER)).isEqualTo(4);
        for (Thread putter : putters) {
            assertThat(putter.join(Duration.ofSeconds(20))).isTrue();
        }
        assertThat(queue.depth()).isEqualTo(3);
    }

    @Test
    void take_afterTheEnd_returnsWhatWasPutAndThenTheFailure() throws Exception {
        assertThat(queue.put(batch(3), meter)).isTrue();
        queue.end(new IllegalStateException("above"));
        assertThat(takenSize(Stage.NEVER)).isEqualTo(3);
        assertThatThrownBy(() -> queue.take(Stage.NEVER, meter)).hasMessage("above");
    }

    @Test
    void take_afterAnInterruptionAbove_isInterruptedItself() {
        queue.end(new InterruptedException());
        assertThatThrownBy(() -> queue.take(Stage.NEVER, meter)).isInstanceOf(InterruptedException.class);
    }

    @Test
    void take_afterItsDeadline_returnsAnEmptyBatch() throws Exception {
        assertThat(takenSize(System.nanoTime() - 1)).isZero();
        assertThat(takenSize(System.nanoTime() + 1000)).isZero();
    }

    @Test
    void capacity_belowOne_isRefused() {
        assertThatThrownBy(() -> new BoundaryQueue<>(0, Clock.SYSTEM)).isInstanceOf(IllegalArgumentException.class);
    }

    private static Batch<Integer> batch(AckTarget target, long... tokens) {
        Object[] values = LongStream.of(tokens).mapToObj(token -> (int) token).toArray();
        return Batch.of(values, tokens.length, target, tokens);
    }

    private List<Integer> taken() throws InterruptedException {
        Batch<Integer> batch = queue.take(Stage.NEVER, meter);
        List<Integer> elements = new ArrayList<>();
        for (int i = 0; batch != null && i < batch.size(); i++) {
            elements.add(batch.get(i));
        }
        return elements;
    }

    @Test
    void batches_areTakenInTheirOrder_andCountedOnce() throws Exception {
        RecordingTarget target = new RecordingTarget();
        assertThat(queue.put(batch(target, 1, 2), meter)).isTrue();
        assertThat(queue.offer(batch(target, 3))).isTrue();
        assertThat(queue.depth()).isEqualTo(3);
        assertThat(taken()).containsExactly(1, 2);
        assertThat(queue.depth()).isEqualTo(1);
        assertThat(taken()).containsExactly(3);
        assertThat(queue.depth()).isZero();
        assertThat(meter.elementsIn()).isEqualTo(3);
        assertThat(meter.elementsOut()).isEqualTo(3);
        queue.end(null);
        assertThat(queue.take(Stage.NEVER, meter)).isNull();
    }

    @Test
    void offer_withoutRoom_isRefused() throws Exception {
        assertThat(queue.offer(batch(3))).isTrue();
        assertThat(queue.offer(batch(1))).isTrue();
        assertThat(queue.offer(batch(1))).isFalse();
        assertThat(takenSize(Stage.NEVER)).isEqualTo(3);
        assertThat(queue.offer(batch(7))).isTrue();
        assertThat(queue.depth()).isEqualTo(8);
    }

    @Test
    void offer_afterTheEndOrACancellation_isRefused() {
        queue.end(null);
        assertThat(queue.offer(batch(1))).isFalse();
        BoundaryQueue<Integer> cancelled = new BoundaryQueue<>(4, Clock.SYSTEM);
        cancelled.cancel();
        assertThat(cancelled.offer(batch(1))).isFalse();
        assertThat(queue.depth() + cancelled.depth()).isZero();
    }

    @Test
    void put_afterACancellation_isRefusedAtOnce() throws Exception {
        queue.cancel();
        assertThat(queue.put(batch(1), meter)).isFalse();
        assertThat(queue.depth()).isZero();
        assertThat(queue.take(Stage.NEVER, meter)).isNull();
    }

    @Test
    void put_ofAnEmptyBatch_storesNothing() throws Exception {
        assertThat(queue.put(batch(0), meter)).isTrue();
        queue.end(null);
        assertThat(queue.take(Stage.NEVER, meter)).isNull();
    }

    @Test
    void end_twice_countsOnce() {
        queue.end(new IllegalStateException("first"));
        queue.end(null);
        queue.end(new IllegalStateException("second"));
        assertThatThrownBy(() -> queue.take(Stage.NEVER, meter)).hasMessage("first");
    }

    @Test
    void failure_afterTheEnd_isNotThrown() throws Exception {
        queue.end(null);
        queue.end(new IllegalStateException("late"));
        assertThat(queue.take(Stage.NEVER, meter)).isNull();
    }

    @Test
    void find_findsStoredElements() throws Exception {
        RecordingTarget target = new RecordingTarget();
        assertThat(queue.put(batch(target, 1), meter)).isTrue();
        assertThat(queue.put(batch(target, 2, 3), meter)).isTrue();
        assertThat(queue.find(target, 1)).isEqualTo(new StageEntry.Kept(1, false));
        assertThat(queue.find(target, 3)).isEqualTo(new StageEntry.Kept(3, false));
        assertThat(queue.find(target, 4)).isNull();
        assertThat(taken()).containsExactly(1);
        assertThat(queue.find(target, 1)).isNull();
    }

    @Test
    void dropRevoked_leavesTheOthersInTheirOrder_andMakesRoom() throws Exception {
        RecordingTarget revoked = new RecordingTarget().revoked();
        RecordingTarget kept = new RecordingTarget();
        Batch<Integer> mixed = batch(kept, 3, 4);
        mixed.add(5, revoked, 5);
        mixed.add(6, kept, 6);
        assertThat(queue.put(batch(revoked, 1, 2), meter)).isTrue();
        assertThat(queue.put(mixed, meter)).isTrue();
        assertThat(queue.offer(batch(1))).isFalse();
        queue.dropRevoked();
        assertThat(revoked.calls()).containsExactly("drop 1", "drop 2", "drop 5");
        assertThat(queue.depth()).isEqualTo(3);
        assertThat(queue.offer(batch(kept, 7))).isTrue();
        // No empty batch is left: the downstream stage would take it for a deadline.
        assertThat(taken()).containsExactly(3, 4, 6);
        assertThat(taken()).containsExactly(7);
        assertThat(kept.calls()).isEmpty();
    }

    /** The elements of a batch that waits for room may be revoked, too, and then need none. */
    @Test
    void put_ofABatchThatIsRevokedWhileItWaits_returns() throws Exception {
        RecordingTarget kept = new RecordingTarget();
        RecordingTarget lost = new RecordingTarget();
        assertThat(queue.put(batch(kept, 1, 2, 3, 4), meter)).isTrue();
        CompletableFuture<Boolean> put = new CompletableFuture<>();
        Thread putter = Thread.ofVirtual().start(() -> {
            try {
                put.complete(queue.put(batch(lost, 5, 6), meter));
            } catch (InterruptedException e) {
                put.completeExceptionally(e);
            }
        });
        while (!meter.isBlockedDown()) {
            Thread.onSpinWait();
        }
        queue.dropRevoked();
        assertThat(put).isNotDone();
        lost.revoked();
        queue.dropRevoked();
        assertThat(put.get()).isTrue();
        putter.join();
        assertThat(meter.isBlockedDown()).isFalse();
        assertThat(lost.calls()).containsExactly("drop 5", "drop 6");
        assertThat(queue.depth()).isEqualTo(4);
        assertThat(taken()).containsExactly(1, 2, 3, 4);
    }

    @Test
    void take_whileNothingIsStored_waitsUntilABatchArrives() throws Exception {
        CompletableFuture<Integer> size = new CompletableFuture<>();
        Thread taker = Thread.ofVirtual().start(() -> {
            try {
                size.complete(takenSize(Stage.NEVER));
            } catch (InterruptedException e) {
                size.completeExceptionally(e);
            }
        });
        while (taker.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        assertThat(meter.isBlockedUp()).isTrue();
        assertThat(queue.offer(batch(2))).isTrue();
        assertThat(size.get()).isEqualTo(2);
        taker.join();
        assertThat(meter.isBlockedUp()).isFalse();
    }

    /** Regression: after a target threw, the elements in later batches stayed pending. */
    @Test
    void cancel_whoseElementsHaveATargetThatThrows_abandonsAll() throws Exception {
        IllegalStateException planted = new IllegalStateException("planted");
        RecordingTarget throwing = new RecordingTarget().throwing(planted);
        assertThat(queue.put(batch(throwing, 1), meter)).isTrue();
        assertThat(queue.put(batch(throwing, 2, 3), meter)).isTrue();
        assertThatThrownBy(queue::cancel).isSameAs(planted);
        assertThat(throwing.calls()).containsExactly("abandon 1", "abandon 2", "abandon 3");
        assertThat(queue.depth()).isZero();
    }
}
