package dev.weir.stream.internal.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Ordering;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** Tests when the feeder is woken. A waiter that leaves the lock's condition shows a wake-up. */
class FeederCallTest {

    private static final long HOT = 7;

    /** Ends each wait at once, and counts the waits. */
    private static final class NoWait implements Clock {

        private int waits;

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public void await(Lock lock, Condition condition, long deadlineNanos) {
            assertThat(deadlineNanos).isEqualTo(Stage.NEVER);
            waits++;
        }
    }

    private final NoWait clock = new NoWait();
    private final ReentrantLock lock = new ReentrantLock();
    private final ElementTable<Integer> table = new ElementTable<>(16, false, true);
    private final FeederCall call = new FeederCall(lock, clock, table);

    private void fill(int count, long key) {
        for (int n = 0; n < count; n++) {
            assertThat(table.offer(n, AckTarget.NONE, 0, key)).isTrue();
        }
    }

    private void leave(int count) {
        for (int n = 0; n < count; n++) {
            table.complete(table.takeReady(), n);
        }
        table.drain(new Batch<Integer>(count), count);
    }

    @Test
    void feeder_thatWaits_isWaitingUntilTheEnd() throws Exception {
        assertThat(call.isWaiting()).isFalse();
        call.begin(false, Ordering.NO_KEY);
        assertThat(call.isWaiting()).isTrue();
        assertThat(call.isForRoom()).isFalse();
        assertThat(call.hasRoom()).as("does not wait for room").isFalse();
        call.await();
        assertThat(clock.waits).isEqualTo(1);
        call.end();
        assertThat(call.isWaiting()).isFalse();
        call.begin(true, Ordering.NO_KEY);
        assertThat(call.isForRoom()).isTrue();
        call.end();
        assertThat(call.isForRoom()).isFalse();
    }

    @Test
    void room_isThatForTheKeyOfTheElementThatWaits() {
        fill(17, HOT);
        call.begin(true, HOT);
        assertThat(call.hasRoom()).isFalse();
        call.end();
        call.begin(true, Ordering.NO_KEY);
        assertThat(call.hasRoom()).isTrue();
        fill(15, Ordering.NO_KEY);
        assertThat(call.hasRoom()).isFalse();
    }

    /** An eighth of the capacity is two elements here. */
    @Test
    void callIfAmpleRoom_wakesTheFeederOnceThereIsAmpleRoom() throws Exception {
        FeederCall real = new FeederCall(lock, Clock.SYSTEM, table);
        fill(16, Ordering.NO_KEY);
        Thread feeder = Thread.ofVirtual().start(() -> {
            lock.lock();
            try {
                real.begin(true, Ordering.NO_KEY);
                real.await();
                real.end();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                lock.unlock();
            }
        });
        while (!isWaiting(real)) {
            Thread.onSpinWait();
        }
        lock.lock();
        try {
            leave(1);
            real.callIfAmpleRoom();
            assertThat(lock.hasQueuedThread(feeder)).isFalse();
            leave(1);
            real.callIfAmpleRoom();
            assertThat(lock.hasQueuedThread(feeder)).isTrue();
        } finally {
            lock.unlock();
        }
        feeder.join();
        assertThat(isWaiting(real)).isFalse();
    }

    private boolean isWaiting(FeederCall feederCall) {
        lock.lock();
        try {
            return feederCall.isWaiting();
        } finally {
            lock.unlock();
        }
    }

    @Test
    void callIfAmpleRoom_withoutAWaitForRoom_wakesNobody() throws Exception {
        FeederCall real = new FeederCall(lock, Clock.SYSTEM, table);
        Thread feeder = Thread.ofVirtual().start(() -> {
            lock.lock();
            try {
                real.begin(false, Ordering.NO_KEY);
                real.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                real.end();
                lock.unlock();
            }
        });
        while (!isWaiting(real)) {
            Thread.onSpinWait();
        }
        lock.lock();
        try {
            real.callIfAmpleRoom();
            assertThat(lock.hasQueuedThread(feeder)).isFalse();
            real.call();
            assertThat(lock.hasQueuedThread(feeder)).isTrue();
        } finally {
            lock.unlock();
        }
        feeder.join();
    }
}
