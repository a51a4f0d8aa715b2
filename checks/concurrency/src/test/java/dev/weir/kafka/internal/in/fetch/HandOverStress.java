package dev.weir.kafka.internal.in.fetch;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** A fetch thread passes two elements through a queue of size one. The owner thread gets both in order. */
@JCStressTest
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "both, in their order")
@Outcome(expect = Expect.FORBIDDEN, desc = "a turn, a signal or the space was lost, or the order")
@State
public class HandOverStress {

    /** The owner's maximum wait. After a longer wait, a signal counts as lost. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final HandOver.Signal signal = new HandOver.Signal();
    private final HandOver<Integer> turns = new HandOver<>(1, signal);

    private static int put(HandOver<Integer> turns, int turn) {
        try {
            return turns.put(turn) ? 1 : 0;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Takes an element, or waits for a signal. Returns 0 if none arrives in time. */
    private int take() {
        Integer turn = turns.take();
        while (turn == null) {
            long before = System.nanoTime();
            signal.await(PATIENCE_NANOS);
            if (System.nanoTime() - before >= PATIENCE_NANOS) {
                return 0;
            }
            turn = turns.take();
        }
        return turn;
    }

    @Actor
    public void fetcher() {
        int first = put(turns, 1);
        int second = put(turns, 1 + first);
        if (second == 0) {
            throw new AssertionError("refused");
        }
    }

    @Actor
    public void owner(II_Result result) {
        result.r1 = take();
        result.r2 = take();
    }

    /** The owner thread closes the queue before or while the fetch thread waits for space. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "refused")
    @Outcome(expect = Expect.FORBIDDEN, desc = "put after the end")
    @State
    public static class Close {

        private final HandOver<Integer> turns = new HandOver<>(1, new HandOver.Signal());

        public Close() {
            if (put(turns, 1) == 0) {
                throw new AssertionError("there was room");
            }
        }

        @Actor
        public void fetcher(I_Result result) {
            result.r1 = put(turns, 2);
        }

        @Actor
        public void owner() {
            turns.close();
        }
    }

    /** Faulty: the owner thread discards signals between its check and its wait. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "woken")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the signal was lost")
    @State
    public static class Broken {

        private static final long SHORT_MILLIS = 50;

        private final Queue<Integer> turns = new ConcurrentLinkedQueue<>();
        private final Semaphore signals = new Semaphore(0);

        @Actor
        public void fetcher() {
            turns.add(1);
            signals.release();
        }

        @Actor
        public void owner(I_Result result) {
            Integer turn = turns.poll();
            if (turn == null) {
                int ignored = signals.drainPermits();
                turn = isRung() ? turns.poll() : null;
            }
            result.r1 = turn == null ? 0 : turn;
        }

        private boolean isRung() {
            try {
                return signals.tryAcquire(SHORT_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
