package dev.weir.kafka.internal.handler;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A call ends while its timer fires. Its thread takes the next record, and must not see the interrupt. */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "the thread is clean")
@Outcome(expect = Expect.FORBIDDEN, desc = "the interrupt of one record reached the next")
@State
public class TimedCallStress {

    private volatile @Nullable TimedCall call;

    /** Waits briefly, so that the other actor acts at the same time more often. */
    private static void linger() {
        for (int i = 0; i < 10; i++) {
            Thread.onSpinWait();
        }
    }

    /** The interrupt may also arrive after the last check. The thread's next call then sees it. */
    @Actor
    public void lane(I_Result result) {
        boolean before = Thread.interrupted();
        TimedCall begun = new TimedCall();
        call = begun;
        linger();
        boolean ignored = begun.end();
        result.r1 = before || Thread.interrupted() ? 1 : 0;
    }

    @Actor
    public void timer() {
        TimedCall due = call;
        if (due != null) {
            due.interrupt();
        }
    }

    /** Faulty: ends and interrupts without a lock. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "the thread is clean")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the interrupt of one record reached the next")
    @State
    public static class Broken {

        private volatile @Nullable Thread calling;

        @Actor
        public void lane(I_Result result) {
            boolean before = Thread.interrupted();
            calling = Thread.currentThread();
            linger();
            calling = null;
            boolean ignored = Thread.interrupted();
            result.r1 = before || Thread.interrupted() ? 1 : 0;
        }

        @Actor
        public void timer() {
            Thread due = calling;
            if (due != null) {
                linger();
                due.interrupt();
            }
        }
    }
}
