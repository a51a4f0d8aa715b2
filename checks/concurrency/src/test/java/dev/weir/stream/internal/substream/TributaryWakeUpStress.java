package dev.weir.stream.internal.substream;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.boundary.BoundaryQueue;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two substreams end while the parent stream's thread waits, first for one of them and then for both. The thread wakes
 * up each time, and not too early.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "woken when they had ended")
@Outcome(expect = Expect.FORBIDDEN, desc = "woken too early, or never")
@State
public class TributaryWakeUpStress {

    @SuppressWarnings("NullAway") // nothing is started, so no environment for substreams is needed
    private final ConcurrentSubstreams<Integer> tributaries = new ConcurrentSubstreams<>(
            null, new BoundaryQueue<>(1, Clock.SYSTEM), "stress", Dispatcher.virtual(), Clock.SYSTEM);

    private final ConcurrentSubstreams<Integer>.Tributary one =
            tributaries.new Tributary(ParentAcknowledgement.NONE, () -> {});
    private final ConcurrentSubstreams<Integer>.Tributary other =
            tributaries.new Tributary(ParentAcknowledgement.NONE, () -> {});

    public TributaryWakeUpStress() {
        tributaries.add(one);
        tributaries.add(other);
    }

    @Actor
    public void first() {
        tributaries.remove(one);
    }

    @Actor
    public void second() {
        tributaries.remove(other);
    }

    @Actor
    public void parents(II_Result result) {
        try {
            boolean ignored = tributaries.awaitEnd(one, Stage.NEVER);
            result.r1 = tributaries.isRunning(one) ? 1 : 0;
            tributaries.awaitAtMost(0);
            result.r2 = tributaries.isRunning(other) ? 1 : 0;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Faulty: checks and waits in two steps, so the end of a substream between them wakes nobody. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "woken when they had ended")
    @Outcome(expect = Expect.FORBIDDEN, desc = "woken too early, or never")
    @State
    public static class Broken {

        private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

        private final ReentrantLock lock = new ReentrantLock();
        private final Condition ended = lock.newCondition();
        private int running = 2;

        private void remove() {
            lock.lock();
            try {
                running--;
                ended.signalAll();
            } finally {
                lock.unlock();
            }
        }

        private int running() {
            lock.lock();
            try {
                return running;
            } finally {
                lock.unlock();
            }
        }

        @Actor
        public void first() {
            remove();
        }

        @Actor
        public void second() {
            remove();
        }

        @Actor
        public void parents(II_Result result) {
            while (running() > 0) {
                Thread.onSpinWait();
                lock.lock();
                try {
                    if (ended.awaitNanos(PATIENCE_NANOS) <= 0) {
                        result.r1 = 1;
                        return;
                    }
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                } finally {
                    lock.unlock();
                }
            }
        }
    }
}
