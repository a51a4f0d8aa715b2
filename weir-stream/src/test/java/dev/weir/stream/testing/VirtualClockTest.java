package dev.weir.stream.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VirtualClockTest {

    private final VirtualClock clock = new VirtualClock();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    /** A lock with one condition. Several threads wait on it for a time or a flag. */
    private final class Room {
        final ReentrantLock lock = new ReentrantLock();
        final Condition condition = lock.newCondition();
        boolean flag;

        /** The time at which the wait ended. */
        long await(long deadlineNanos) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (!flag && !clock.hasPassed(deadlineNanos)) {
                    clock.await(lock, condition, deadlineNanos);
                }
                return clock.nanoTime();
            } finally {
                lock.unlock();
            }
        }

        void raise() {
            lock.lock();
            try {
                flag = true;
                condition.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    @Test
    void time_standsStillUntilAdvanced() {
        assertThat(clock.nanoTime()).isZero();
        clock.advance(Duration.ofNanos(5));
        clock.advance(Duration.ofNanos(7));
        assertThat(clock.nanoTime()).isEqualTo(12);
        assertThat(clock.after(8)).isEqualTo(20);
        assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void waiter_wakesAtItsDeadlineAndNotBefore() throws Exception {
        Room room = new Room();
        Future<Long> woken = threads.submit(() -> room.await(100));
        clock.awaitWaiters(1);
        clock.advance(Duration.ofNanos(99));
        clock.awaitWaiters(1);
        assertThat(woken.isDone()).isFalse();
        clock.advance(Duration.ofNanos(1));
        assertThat(woken.get()).isEqualTo(100);
    }

    @Test
    void deadlineThatHasCome_isNotWaitedFor() throws Exception {
        clock.advance(Duration.ofNanos(100));
        assertThat(new Room().await(100)).isEqualTo(100);
        clock.sleepUntil(50);
    }

    @Test
    void waitersOnOneCondition_wakeEachAtItsOwnDeadline() throws Exception {
        Room room = new Room();
        Future<Long> never = threads.submit(() -> room.await(Stage.NEVER));
        Future<Long> later = threads.submit(() -> room.await(200));
        clock.awaitWaiters(1);
        // This thread is last in the condition's queue: waking the first thread is not enough.
        Future<Long> sooner = threads.submit(() -> room.await(100));
        clock.awaitWaiters(2);
        clock.advance(Duration.ofNanos(100));
        assertThat(sooner.get()).isEqualTo(100);
        clock.awaitWaiters(1);
        assertThat(later.isDone()).isFalse();
        clock.advance(Duration.ofNanos(100));
        assertThat(later.get()).isEqualTo(200);
        assertThat(never.isDone()).isFalse();
        room.raise();
        assertThat(never.get()).isEqualTo(200);
    }

    @Test
    void waiter_isWokenByASignalAsWell() throws Exception {
        Room room = new Room();
        Future<Long> woken = threads.submit(() -> room.await(100));
        clock.awaitWaiters(1);
        room.raise();
        assertThat(woken.get()).isZero();
    }

    @Test
    void awaitWaiters_afterAnAdvance_doesNotCountThoseWhoseTimeHasCome() throws Exception {
        Room room = new Room();
        CompletableFuture<Void> held = new CompletableFuture<>();
        Future<Long> woken = threads.submit(() -> room.await(100));
        clock.awaitWaiters(1);
        // The advancing thread cannot signal yet, so the waiter waits although its time has come.
        Future<?> advancer;
        Future<?> counted;
        room.lock.lock();
        try {
            advancer = threads.submit(() -> clock.advance(Duration.ofNanos(100)));
            while (clock.nanoTime() < 100) {
                Thread.onSpinWait();
            }
            counted = threads.submit(() -> {
                clock.awaitWaiters(1);
                held.complete(null);
                return null;
            });
        } finally {
            room.lock.unlock();
        }
        assertThat(woken.get()).isEqualTo(100);
        advancer.get();
        assertThat(held).isNotDone();
        Future<Long> next = threads.submit(() -> room.await(200));
        counted.get();
        clock.advance(Duration.ofNanos(100));
        assertThat(next.get()).isEqualTo(200);
    }

    @Test
    void interruptedWaiter_leavesNothingBehind() throws Exception {
        Future<Long> waiting = threads.submit(() -> new Room().await(100));
        clock.awaitWaiters(1);
        assertThat(waiting.cancel(true)).isTrue();
        Room room = new Room();
        Future<Long> other = threads.submit(() -> room.await(50));
        clock.awaitWaiters(1);
        clock.advance(Duration.ofNanos(100));
        assertThat(other.get()).isEqualTo(100);
    }

    /** Threads begin to wait while time advances. A missed wake-up times the test out. */
    @Test
    void advance_whileOthersBeginToWait_losesNoWakeUp() throws Exception {
        for (int round = 0; round < 3000; round++) {
            Room room = new Room();
            long deadline = clock.nanoTime() + 10;
            Future<Long> one = threads.submit(() -> room.await(deadline));
            Future<Long> other = threads.submit(() -> room.await(deadline - 5));
            clock.advance(Duration.ofNanos(4));
            clock.advance(Duration.ofNanos(6));
            assertThat(one.get()).isEqualTo(deadline);
            assertThat(other.get()).isBetween(deadline - 5, deadline);
        }
    }

    /** Time may advance at any point between the first read of the clock and the wait. */
    @Test
    void advance_justAsAWaitBegins_losesNoWakeUp() throws Exception {
        int rounds = 20_000;
        AtomicInteger begun = new AtomicInteger();
        Room room = new Room();
        FutureTask<Integer> waiter = new FutureTask<>(() -> {
            for (int round = 1; round <= rounds; round++) {
                begun.set(round);
                spin();
                if (room.await(round) != round) {
                    throw new AssertionError("woke at another time than " + round);
                }
            }
            return rounds;
        });
        Thread.ofPlatform().daemon().start(waiter);
        for (int round = 1; round <= rounds; round++) {
            while (begun.get() < round) {
                if (Thread.interrupted()) {
                    throw new InterruptedException("a wake-up was lost in round " + (round - 1));
                }
                Thread.onSpinWait();
            }
            spin();
            clock.advance(Duration.ofNanos(1));
        }
        assertThat(waiter.get()).isEqualTo(rounds);
    }

    /** Spins for a random time: either side may come first. */
    private static void spin() {
        for (int spins = ThreadLocalRandom.current().nextInt(100); spins > 0; spins--) {
            Thread.onSpinWait();
        }
    }

    @Test
    void advance_fromSeveralThreads_addsUpAndWakesAll() throws Exception {
        int steps = 500;
        AtomicInteger awake = new AtomicInteger();
        List<Future<?>> all = new ArrayList<>();
        Room shared = new Room();
        for (int i = 1; i <= 50; i++) {
            long deadline = i * 30L;
            Room room = i % 2 == 0 ? shared : new Room();
            all.add(threads.submit(() -> {
                assertThat(room.await(deadline)).isGreaterThanOrEqualTo(deadline);
                return awake.incrementAndGet();
            }));
        }
        for (int thread = 0; thread < 3; thread++) {
            all.add(threads.submit(() -> {
                for (int i = 0; i < steps; i++) {
                    clock.advance(Duration.ofNanos(1));
                }
            }));
        }
        for (Future<?> future : all) {
            future.get();
        }
        assertThat(clock.nanoTime()).isEqualTo(3L * steps);
        assertThat(awake).hasValue(50);
    }

    @Test
    void sleepUntil_isInterruptible() throws Exception {
        CompletableFuture<Thread> sleeper = new CompletableFuture<>();
        Future<?> sleeping = threads.submit(() -> {
            sleeper.complete(Thread.currentThread());
            clock.sleepUntil(100);
            return null;
        });
        clock.awaitWaiters(1);
        sleeper.get().interrupt();
        assertThatThrownBy(sleeping::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(InterruptedException.class);
    }

    @Test
    void systemClock_waitsAndPasses() throws Exception {
        long deadline = Clock.SYSTEM.after(Duration.ofMillis(1).toNanos());
        Clock.SYSTEM.sleepUntil(deadline);
        assertThat(Clock.SYSTEM.hasPassed(deadline)).isTrue();
        assertThat(Clock.SYSTEM.hasPassed(Stage.NEVER)).isFalse();
        assertThat(Clock.SYSTEM.after(Stage.NEVER)).isEqualTo(Stage.NEVER);
    }
}
