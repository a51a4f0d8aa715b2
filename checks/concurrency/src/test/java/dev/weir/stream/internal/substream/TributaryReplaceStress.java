package dev.weir.stream.internal.substream;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.boundary.BoundaryQueue;
import dev.weir.stream.internal.boundary.PendingCount;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.NestedStreams;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A substream is replaced while it completes. Its parent element is acknowledged exactly once. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "acknowledged once")
@Outcome(expect = Expect.FORBIDDEN, desc = "abandoned, or acknowledged twice")
@State
public class TributaryReplaceStress {

    private static final NestedStreams NEST = TributaryAttachStress.nest();

    private final PendingCount claims = new PendingCount();
    private final Batch<Integer> batch = claims.batch(1);
    private final ConcurrentSubstreams<Integer> tributaries = new ConcurrentSubstreams<>(
            NEST, new BoundaryQueue<>(1, Clock.SYSTEM), "stress", Dispatcher.virtual(), Clock.SYSTEM);
    private final ConcurrentSubstreams<Integer>.Tributary tributary =
            tributaries.new Tributary(ParentAcknowledgement.of(batch, 0), () -> {});

    public TributaryReplaceStress() {
        tributaries.add(tributary);
        tributary.attach(NEST.start(new BlueprintNode<>("stream", (assembly, attributes) -> new Empty())));
    }

    private record Empty() implements Stage<Integer> {

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) {
            return null;
        }

        @Override
        public void close() {}
    }

    @Actor
    public void replacing() {
        try {
            tributary.replace();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Actor
    public void ending() {
        tributary.noteEnd(EndReason.EXHAUSTED);
        tributary.afterLowest();
    }

    @Arbiter
    public void arbiter(I_Result result) {
        result.r1 = claims.acks();
    }

    /** Faulty: reads the reason for the end twice. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "acknowledged once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "abandoned, or acknowledged twice")
    @State
    public static class Broken {

        private int acks;
        private boolean settled;
        private volatile EndReason endsFor = EndReason.NONE;

        private synchronized boolean settle() {
            boolean first = !settled;
            settled = true;
            return first;
        }

        private synchronized void noteEnd(EndReason reason) {
            if (endsFor != EndReason.REPLACED) {
                endsFor = reason;
            }
        }

        private synchronized void ack() {
            acks++;
        }

        @Actor
        public void replacing() {
            noteEnd(EndReason.REPLACED);
            if (settle()) {
                ack();
            }
        }

        @Actor
        public void ending() {
            noteEnd(EndReason.EXHAUSTED);
            if (endsFor != EndReason.REPLACED && settle() && endsFor == EndReason.EXHAUSTED) {
                ack();
            }
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = acks;
        }
    }
}
