package dev.weir.stream.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RestProbeTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @Test
    void pipeline_thatHasDoneAllItCan_isAtRest() throws InterruptedException {
        SourceProbe<Integer> in = new SourceProbe<>();
        AtomicInteger handled = new AtomicInteger();
        try (RunningPipeline running = in.source()
                .mapBlocking(4, Ordering.unordered(), element -> {
                    handled.incrementAndGet();
                    return element;
                })
                .async()
                .to(Sink.ignore())
                .on(new VirtualClock())
                .run()) {
            RestProbe probe = new RestProbe(running);
            for (int i = 1; i <= 500; i++) {
                in.emit(i);
                assertThat(probe.awaitRest(LONG)).isTrue();
                // Only the probe waits here.
                assertThat(handled).hasValue(i);
                assertThat(in.unacknowledged()).isEmpty();
            }
            in.complete();
            running.await();
            assertThat(probe.awaitRest(LONG)).isTrue();
        }
    }

    @Test
    void pipeline_whoseHandlerIsBusy_isNotAtRest() throws InterruptedException {
        SourceProbe<Integer> in = new SourceProbe<>();
        AtomicBoolean busy = new AtomicBoolean(true);
        CountDownLatch begun = new CountDownLatch(1);
        try (RunningPipeline running = in.source()
                .map(element -> {
                    begun.countDown();
                    while (busy.get()) {
                        Thread.onSpinWait();
                    }
                    return element;
                })
                .to(Sink.ignore())
                .run()) {
            in.emit(1).complete();
            assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(new RestProbe(running).awaitRest(Duration.ofMillis(20))).isFalse();
            busy.set(false);
            running.await();
        }
    }

    // Background of the next two tests: on a busy machine, a virtual thread's state was still "waiting" for 100 ms
    // after its unpark, because its carrier was stopped. A test cannot stop a carrier, so it holds a thread in another
    // place where its state is wrong.

    @Test
    void thread_thatWasSignalledAndHasNotRun_isNotAtRest() throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        Condition called = lock.newCondition();
        AtomicBoolean end = new AtomicBoolean();
        Source<Integer> source = Source.custom("called", context -> new Stage<>() {
            @Override
            public @Nullable Batch<Integer> pull(long deadlineNanos) throws InterruptedException {
                lock.lockInterruptibly();
                try {
                    while (!end.get()) {
                        context.clock().await(lock, called, NEVER);
                    }
                    return null;
                } finally {
                    lock.unlock();
                }
            }

            @Override
            public void close() {}
        });
        try (RunningPipeline running =
                source.to(Sink.ignore()).on(new VirtualClock()).run()) {
            RestProbe probe = new RestProbe(running);
            assertThat(probe.awaitRest(LONG)).isTrue();
            lock.lock();
            try {
                end.set(true);
                called.signal();
                // Without the lock, the thread cannot run, so its state has not changed.
                assertThat(probe.awaitRest(Duration.ofMillis(20))).isFalse();
            } finally {
                lock.unlock();
            }
            running.await();
            assertThat(probe.awaitRest(LONG)).isTrue();
        }
    }

    @Test
    void thread_atALockThatIsFree_isNotAtRest() throws InterruptedException {
        ReentrantLock lock = new ReentrantLock();
        AtomicBoolean passed = new AtomicBoolean();
        AtomicBoolean over = new AtomicBoolean();
        Thread queued;
        Thread behind;
        lock.lock();
        try {
            queued = Thread.ofVirtual().start(() -> {
                lock.lock();
                try {
                    passed.set(true);
                } finally {
                    lock.unlock();
                }
            });
            awaitWaiting(queued);
            Object queue = LockSupport.getBlocker(queued);
            // This thread parks at the same place, but stays parked when the lock is free.
            behind = Thread.ofVirtual().start(() -> {
                while (!over.get()) {
                    LockSupport.park(queue);
                }
            });
            awaitWaiting(behind);
        } finally {
            lock.unlock();
        }
        queued.join();
        assertThat(passed).isTrue();
        assertThat(RestProbe.isWaiting(behind)).isFalse();
        over.set(true);
        LockSupport.unpark(behind);
        behind.join();
    }

    private static void awaitWaiting(Thread thread) {
        while (!RestProbe.isWaiting(thread)) {
            Thread.onSpinWait();
        }
    }

    @Test
    void clock_knowsTheNextDeadline() throws InterruptedException {
        VirtualClock clock = new VirtualClock();
        SourceProbe<Integer> in = new SourceProbe<>();
        try (RunningPipeline running = in.source()
                .groupedWithin(10, Duration.ofSeconds(3))
                .to(Sink.ignore())
                .on(clock)
                .run()) {
            RestProbe probe = new RestProbe(running);
            assertThat(probe.awaitRest(LONG)).isTrue();
            assertThat(clock.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
            in.emit(1);
            assertThat(probe.awaitRest(LONG)).isTrue();
            assertThat(clock.nextDeadlineNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(3));
            running.cancel();
        }
    }
}
