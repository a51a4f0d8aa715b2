package dev.weir.kafka.internal.meters;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** Two threads count sends and answers at the same time. No count is lost. */
@JCStressTest
@Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "both records sent and answered")
@Outcome(expect = Expect.FORBIDDEN, desc = "a count was lost")
@State
public class SendCountsStress {

    private final SendCounts counts = SendCounts.ofAnyThread();

    @Actor
    public void one() {
        counts.sends();
        counts.answers();
    }

    @Actor
    public void other() {
        counts.sends();
        counts.answers();
    }

    @Arbiter
    public void after(JJ_Result result) {
        result.r1 = counts.answered();
        result.r2 = counts.unanswered();
    }

    /** Faulty: supports only one sending and one answering thread. */
    @JCStressTest
    @Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "both records sent and answered")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a count was lost")
    @State
    public static class Broken {

        private final SendCounts counts = new SendCounts();

        @Actor
        public void one() {
            counts.sends();
            counts.answers();
        }

        @Actor
        public void other() {
            counts.sends();
            counts.answers();
        }

        @Arbiter
        public void after(JJ_Result result) {
            result.r1 = counts.answered();
            result.r2 = counts.unanswered();
        }
    }
}
