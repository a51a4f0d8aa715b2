package dev.weir.stream.internal.substream;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.boundary.BoundaryQueue;
import dev.weir.stream.internal.boundary.PendingCount;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A substream is replaced while it fails. Its parent element is acknowledged, or the failure propagates. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "replaced")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "failed")
@Outcome(expect = Expect.FORBIDDEN, desc = "both or neither")
@State
public class TributarySettleStress {

    private final PendingCount claims = new PendingCount();
    private final Batch<Integer> batch = claims.batch(1);
    private final ParentAcknowledgement parent = ParentAcknowledgement.of(batch, 0);

    @SuppressWarnings("NullAway") // nothing is started, so no environment for substreams is needed
    private final ConcurrentSubstreams<Integer>.Tributary tributary = new ConcurrentSubstreams<>(
            null, new BoundaryQueue<Integer>(1, Clock.SYSTEM), "stress", Dispatcher.virtual(), Clock.SYSTEM)
    .new Tributary(parent, () -> {});

    @Actor
    public void replacing() {
        if (tributary.settle()) {
            parent.replaced();
        }
    }

    @Actor
    public void failing(II_Result result) {
        result.r2 = tributary.settle() ? 1 : 0;
    }

    @Arbiter
    public void arbiter(II_Result result) {
        result.r1 = claims.acks();
    }

    /** Faulty: checks and settles in two steps. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "replaced")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "failed")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both or neither")
    @State
    public static class Broken {

        private int acks;
        private volatile boolean settled;

        @Actor
        public void replacing() {
            if (!settled) {
                settled = true;
                acks++;
            }
        }

        @Actor
        public void failing(II_Result result) {
            if (!settled) {
                settled = true;
                result.r2 = 1;
            }
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r1 = acks;
        }
    }
}
