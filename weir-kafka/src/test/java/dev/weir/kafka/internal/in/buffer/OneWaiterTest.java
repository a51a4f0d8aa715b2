package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Date;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

@SuppressWarnings({"WaitNotInLoop", "JavaUtilDate"}) // these waits end by the test; the interface declares the date
class OneWaiterTest {

    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final ReentrantLock lock = new ReentrantLock();
    private final OneWaiter condition = new OneWaiter(lock);

    private interface Wait {
        Object on(OneWaiter condition) throws InterruptedException;
    }

    /** Starts a thread that waits once. Returns its result when it has left the lock. */
    private CompletableFuture<Object> start(Wait wait) {
        CompletableFuture<Object> result = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            lock.lock();
            try {
                result.complete(wait.on(condition));
            } catch (InterruptedException | RuntimeException failure) {
                result.complete(failure);
            } finally {
                lock.unlock();
            }
        });
        return result;
    }

    /** Returns the waiting thread, once it waits. The lock is then free. */
    private Thread awaitWaiter(Thread.State state) {
        while (true) {
            lock.lock();
            try {
                Thread waiter = condition.waiter();
                if (waiter != null && waiter.getState() == state) {
                    return waiter;
                }
            } finally {
                lock.unlock();
            }
            Thread.onSpinWait();
        }
    }

    private static Object await(OneWaiter condition) throws InterruptedException {
        condition.await();
        return "awake";
    }

    private void locked(Runnable call) {
        lock.lock();
        try {
            call.run();
        } finally {
            lock.unlock();
        }
    }

    @Test
    void signal_endsTheWait() throws Exception {
        CompletableFuture<Object> awake = start(OneWaiterTest::await);
        // A thread without a deadline needs no timer.
        assertThat(awaitWaiter(Thread.State.WAITING).isAlive()).isTrue();
        assertThat(awake).isNotDone();
        locked(condition::signal);
        assertThat(awake.get(30, TimeUnit.SECONDS)).isEqualTo("awake");
        locked(() -> assertThat(condition.waiter()).isNull());
    }

    @Test
    void signalAll_andWake_endTheWait() throws Exception {
        CompletableFuture<Object> first = start(waiter -> waiter.awaitNanos(MINUTE));
        assertThat(awaitWaiter(Thread.State.TIMED_WAITING).isAlive()).isTrue();
        locked(condition::signalAll);
        assertThat((Long) first.get(30, TimeUnit.SECONDS)).isBetween(1L, MINUTE);

        CompletableFuture<Object> second = start(waiter -> waiter.await(1, TimeUnit.MINUTES));
        OneWaiter.wake(awaitWaiter(Thread.State.TIMED_WAITING));
        assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(true);
    }

    @Test
    void signal_withoutAWaiter_doesNothing() throws InterruptedException {
        locked(() -> {
            condition.signal();
            condition.signalAll();
            assertThat(condition.waiter()).isNull();
        });
        OneWaiter.wake(null);
        lock.lock();
        try {
            assertThat(condition.awaitNanos(1)).isNotPositive();
        } finally {
            lock.unlock();
        }
    }

    @Test
    void timeThatHasPassed_endsTheWait() throws InterruptedException {
        lock.lock();
        try {
            assertThat(condition.await(1, TimeUnit.NANOSECONDS)).isFalse();
            assertThat(condition.awaitNanos(0)).isNotPositive();
            assertThat(condition.awaitNanos(-5)).isNegative();
            assertThat(lock.getHoldCount()).isEqualTo(1);
        } finally {
            lock.unlock();
        }
    }

    /** A signal between the release of the lock and the pause of the thread is a permit. */
    @Test
    void signal_beforeTheThreadHasStopped_endsTheWait() throws InterruptedException {
        lock.lock();
        try {
            LockSupport.unpark(Thread.currentThread());
            assertThat(condition.awaitNanos(MINUTE)).isBetween(1L, MINUTE);
        } finally {
            lock.unlock();
        }
    }

    @Test
    void interrupt_endsTheWait_andTheNextWaitIsPossible() throws Exception {
        CompletableFuture<Object> failed = start(OneWaiterTest::await);
        awaitWaiter(Thread.State.WAITING).interrupt();
        assertThat(failed.get(30, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        CompletableFuture<Object> awake = start(OneWaiterTest::await);
        OneWaiter.wake(awaitWaiter(Thread.State.WAITING));
        assertThat(awake.get(30, TimeUnit.SECONDS)).isEqualTo("awake");
    }

    @Test
    void secondWaiter_isRefused_andTheFirstStays() throws Exception {
        CompletableFuture<Object> first = start(OneWaiterTest::await);
        Thread waiter = awaitWaiter(Thread.State.WAITING);
        CompletableFuture<Object> second = start(OneWaiterTest::await);
        assertThat(second.get(30, TimeUnit.SECONDS))
                .isInstanceOf(IllegalStateException.class)
                .asString()
                .contains(waiter + " waits already");
        locked(condition::signal);
        assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("awake");
    }

    @Test
    void otherWaits_areRefused() {
        assertThatThrownBy(condition::awaitUninterruptibly).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> condition.awaitUntil(new Date(0))).isInstanceOf(UnsupportedOperationException.class);
    }
}
