package dev.weir.stream.internal.boundary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
}
