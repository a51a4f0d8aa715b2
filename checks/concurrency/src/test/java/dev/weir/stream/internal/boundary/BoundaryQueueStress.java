package dev.weir.stream.internal.boundary;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * One thread puts two batches into a queue of size one and ends it, while another takes. Both batches arrive in order,
 * then the end, and no wake-up is lost.
 */
@JCStressTest
@Outcome(id = "12, 1", expect = Expect.ACCEPTABLE, desc = "both in order, then the end")
@Outcome(expect = Expect.FORBIDDEN, desc = "a batch or a wake-up was lost")
@State
public class BoundaryQueueStress {

    /** The maximum wait of a take. After a longer wait, a wake-up counts as lost. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final StageMeter METER = new StageMeter();

    private final BoundaryQueue<Integer> queue = new BoundaryQueue<>(1, Clock.SYSTEM);

    static Batch<Integer> single(int value) {
        return Batch.unacknowledged(new Object[] {value}, 1);
    }

    @Actor
    public void upper() {
        try {
            boolean taken = queue.put(single(1), METER) && queue.put(single(2), METER);
            queue.end(taken ? null : new AssertionError("refused"));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Actor
    public void lower(II_Result result) {
        try {
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            Batch<Integer> batch;
            while ((batch = queue.take(deadline, METER)) != null) {
                if (batch.isEmpty()) {
                    queue.cancel();
                    return;
                }
                result.r1 = result.r1 * 10 + batch.get(0);
            }
            result.r2 = 1;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A put waits for space while the downstream stage cancels. The put returns and is refused. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "refused")
    @Outcome(expect = Expect.FORBIDDEN, desc = "taken into a full queue")
    @State
    public static class Cancel {

        private final BoundaryQueue<Integer> queue = new BoundaryQueue<>(1, Clock.SYSTEM);

        public Cancel() {
            try {
                boolean ignored = queue.put(single(1), METER);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Actor
        public void upper(I_Result result) {
            try {
                result.r1 = queue.put(single(2), METER) ? 1 : 0;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Actor
        public void lower() {
            queue.cancel();
        }
    }

    /** Faulty: checks and waits in two steps, so a signal between them is lost. */
    @JCStressTest
    @Outcome(id = "12, 1", expect = Expect.ACCEPTABLE, desc = "both in order, then the end")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a batch or a wake-up was lost")
    @State
    public static class Broken {

        private static final long SHORT_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

        private final ReentrantLock lock = new ReentrantLock();
        private final Condition notEmpty = lock.newCondition();
        private final ArrayDeque<Integer> items = new ArrayDeque<>();

        private void put(int item) {
            lock.lock();
            try {
                items.add(item);
                notEmpty.signal();
            } finally {
                lock.unlock();
            }
        }

        @SuppressWarnings({"LockNotBeforeTry", "WaitNotInLoop"}) // the planted fault
        private int take() {
            lock.lock();
            try {
                boolean mustWait = items.isEmpty();
                lock.unlock();
                Thread.onSpinWait();
                lock.lock();
                if (mustWait && notEmpty.awaitNanos(SHORT_PATIENCE_NANOS) <= 0) {
                    return 0;
                }
                return items.remove();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                lock.unlock();
            }
        }

        @Actor
        public void upper() {
            put(1);
            put(2);
        }

        @Actor
        public void lower(II_Result result) {
            int first = take();
            int second = first == 0 ? 0 : take();
            result.r1 = first * 10 + second;
            result.r2 = second == 0 ? 0 : 1;
        }
    }
}
