package dev.weir.stream.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArrivalWaitsTest {

    private final ReentrantLock lock = new ReentrantLock();
    private final ArrivalWaits arrivals = new ArrivalWaits(lock);

    /** Under the lock. */
    private int waiting;

    /** Returns the habit of a thread whose waits were all short. */
    private static WaitHabit quick() {
        WaitHabit habit = new WaitHabit();
        for (int n = 0; n < 100; n++) {
            habit.parked(100);
        }
        return habit;
    }

    private void put() {
        ArrivalWaits.enter(lock);
        try {
            waiting++;
            boolean ignored = arrivals.call();
        } finally {
            lock.unlock();
        }
    }

    private void take(WaitHabit habit) throws InterruptedException {
        ArrivalWaits.enterInterruptibly(lock);
        try {
            while (waiting == 0) {
                arrivals.await(Clock.SYSTEM, Stage.NEVER, habit, null);
            }
            waiting--;
        } finally {
            lock.unlock();
        }
    }

    private Thread taking(WaitHabit habit, int count) {
        return Thread.ofVirtual().start(() -> {
            try {
                for (int n = 0; n < count; n++) {
                    take(habit);
                }
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void call_whetherTakersStayOrAreParked_isHeardEachTime(int takers) throws Exception {
        int each = 20_000;
        Thread[] all = new Thread[takers];
        for (int n = 0; n < takers; n++) {
            all[n] = taking(quick(), each);
        }
        for (int n = 0; n < takers * each; n++) {
            put();
        }
        for (Thread taker : all) {
            assertThat(taker.join(Duration.ofSeconds(40))).isTrue();
        }
        assertThat(waiting).isZero();
    }

    @Test
    void call_afterAStayInVain_wakesTheTaker() throws Exception {
        Thread taker = taking(quick(), 1);
        while (taker.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        put();
        assertThat(taker.join(Duration.ofSeconds(40))).isTrue();
    }

    @Test
    void call_thatFindsNobody_tellsSo() {
        lock.lock();
        try {
            assertThat(arrivals.call()).isFalse();
        } finally {
            lock.unlock();
        }
    }

    @Test
    void await_ofAThreadThatIsInterrupted_throwsThoughItMayStay() throws Exception {
        Thread taker = taking(quick(), 1);
        taker.interrupt();
        assertThat(taker.join(Duration.ofSeconds(40))).isTrue();
        assertThat(waiting).isZero();
    }

    @Test
    void await_untilADeadline_returns() throws Exception {
        WaitHabit habit = quick();
        long untilNanos = System.nanoTime() + Duration.ofMillis(2).toNanos();
        lock.lock();
        try {
            while (!Clock.SYSTEM.hasPassed(untilNanos)) {
                arrivals.await(Clock.SYSTEM, untilNanos, habit, null);
            }
        } finally {
            lock.unlock();
        }
        // After a long wait, the thread no longer spins.
        assertThat(habit.isToStay()).isFalse();
    }

    @Test
    void enterInterruptibly_ofAnInterruptedThread_throwsThoughTheLockIsFree() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> ArrivalWaits.enterInterruptibly(lock)).isInstanceOf(InterruptedException.class);
        assertThat(lock.isLocked()).isFalse();
    }
}
