package dev.weir.stream.internal.substream;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.internal.boundary.BoundaryQueue;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.NestedStreams;
import dev.weir.stream.internal.run.PipelineRun;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A substream completes before its starting thread has registered it. The substream is closed, its parent element is
 * settled, and it no longer counts as running.
 */
@JCStressTest
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "closed and settled once")
@Outcome(expect = Expect.FORBIDDEN, desc = "left open, or closed or settled twice")
@State
public class TributaryAttachStress {

    private static final NestedStreams NEST = nest();

    private final AtomicInteger closes = new AtomicInteger();
    private final AtomicInteger settled = new AtomicInteger();
    private final ConcurrentSubstreams<Integer> tributaries = new ConcurrentSubstreams<>(
            NEST, new BoundaryQueue<>(1, Clock.SYSTEM), "stress", Dispatcher.virtual(), Clock.SYSTEM);
    private final ConcurrentSubstreams<Integer>.Tributary tributary =
            tributaries.new Tributary(new ParentAcknowledgement(new Settling(settled), 0, 1, null), () -> {});
    private final NestedStreams.Child<Integer> child =
            NEST.start(new BlueprintNode<>("stream", (assembly, attributes) -> new Open(closes)));

    public TributaryAttachStress() {
        tributaries.add(tributary);
    }

    /** Returns an environment for substreams outside a run. */
    static NestedStreams nest() {
        CompletableFuture<NestedStreams> made = new CompletableFuture<>();
        RunningPipeline ignored = PipelineRun.start("stress", Clock.SYSTEM, assembly -> {
            assembly.fused(StageAttributes.named("stress"));
            made.complete(assembly.nested());
        });
        return made.join();
    }

    private record Open(AtomicInteger closes) implements Stage<Integer> {

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) {
            return null;
        }

        @Override
        public void close() {
            closes.incrementAndGet();
        }
    }

    private record Settling(AtomicInteger settled) implements AckTarget {

        @Override
        public void ack(long token) {
            settled.incrementAndGet();
        }

        @Override
        public void abandon(long token) {
            settled.incrementAndGet();
        }

        @Override
        public void retain(long token, int claims) {
            throw new AssertionError("it has no elements");
        }
    }

    @Actor
    public void starter() {
        tributary.attach(child);
    }

    @Actor
    public void segment() {
        tributary.afterLowest();
    }

    @Arbiter
    public void arbiter(III_Result result) {
        result.r1 = closes.get();
        result.r2 = settled.get();
        result.r3 = tributaries.isRunning(tributary) ? 1 : 0;
        child.close();
    }

    /** Faulty: each side checks for the other and acts, in two steps. */
    @JCStressTest
    @Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "closed and settled once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "left open, or closed or settled twice")
    @State
    public static class Broken {

        private final AtomicInteger closes = new AtomicInteger();
        private volatile boolean attached;
        private volatile boolean over;

        @Actor
        public void starter() {
            attached = true;
            if (over) {
                closes.incrementAndGet();
            }
        }

        @Actor
        public void segment() {
            boolean isAttached = attached;
            over = true;
            if (isAttached) {
                closes.incrementAndGet();
            }
        }

        @Arbiter
        public void arbiter(III_Result result) {
            result.r1 = closes.get();
            result.r2 = closes.get();
        }
    }
}
