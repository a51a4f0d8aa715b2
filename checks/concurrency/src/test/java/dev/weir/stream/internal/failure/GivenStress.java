package dev.weir.stream.internal.failure;

import dev.weir.stream.internal.boundary.Claims;
import dev.weir.stream.spi.Batch;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** An element that was given twice is finished both times at once: it is acknowledged once. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "once")
@Outcome(expect = Expect.FORBIDDEN, desc = "twice or never")
@State
public class GivenStress {

    private final Claims claims = new Claims();
    private final Given<Integer> given = new Given<>(claims.batch(1));
    private final Batch<Integer> one = given.give();
    private final Batch<Integer> other = given.give();

    @Actor
    public void first() {
        one.ackAll();
    }

    @Actor
    public void second() {
        other.ackAll();
    }

    @Arbiter
    public void arbiter(II_Result result) {
        result.r1 = claims.acks();
        result.r2 = claims.open();
    }

    /** Looks whether it was finished before, and finishes it, in two steps. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "twice or never")
    @State
    public static class Broken {

        private final Claims claims = new Claims();
        private final Batch<Integer> batch = claims.batch(1);
        private volatile boolean finished;

        private void finish() {
            if (!finished) {
                finished = true;
                batch.ackAll();
            }
        }

        @Actor
        public void first() {
            finish();
        }

        @Actor
        public void second() {
            finish();
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = claims.acks();
            result.r2 = claims.open();
        }
    }
}
