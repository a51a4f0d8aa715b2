package dev.weir.stream.internal.boundary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A lock that is looked at first is taken as any other is. */
@Timeout(60)
class BriefLockTest {

    private final ReentrantLock lock = new ReentrantLock();

    @Test
    void freeLock_isTaken() throws InterruptedException {
        BriefLock.lock(lock);
        BriefLock.lockInterruptibly(lock);
        assertThat(lock.getHoldCount()).isEqualTo(2);
    }

    @Test
    void heldLock_isWaitedFor() throws Exception {
        lock.lock();
        FutureTask<Boolean> plain = new FutureTask<>(() -> {
            BriefLock.lock(lock);
            return tellAndUnlock();
        });
        FutureTask<Boolean> interruptible = new FutureTask<>(() -> {
            BriefLock.lockInterruptibly(lock);
            return tellAndUnlock();
        });
        Thread.ofPlatform().start(plain);
        Thread.ofVirtual().start(interruptible);
        // Both have looked in vain for long and sleep.
        while (lock.getQueueLength() < 2) {
            Thread.onSpinWait();
        }
        lock.unlock();
        assertThat(plain.get(50, TimeUnit.SECONDS)).isTrue();
        assertThat(interruptible.get(50, TimeUnit.SECONDS)).isTrue();
    }

    private boolean tellAndUnlock() {
        boolean isHeld = lock.isHeldByCurrentThread();
        lock.unlock();
        return isHeld;
    }

    @Test
    void interruptedThread_takesNothing() throws Exception {
        lock.lock();
        FutureTask<Void> other = new FutureTask<>(() -> {
            BriefLock.lockInterruptibly(lock);
            return null;
        });
        Thread thread = Thread.ofVirtual().start(other);
        thread.interrupt();
        assertThatThrownBy(() -> other.get(50, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);
        assertThat(lock.getHoldCount()).isEqualTo(1);
    }
}
