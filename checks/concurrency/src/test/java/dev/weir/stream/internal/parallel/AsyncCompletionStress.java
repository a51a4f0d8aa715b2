package dev.weir.stream.internal.parallel;

import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.Supervision;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.internal.workers.WorkerLimit;
import dev.weir.stream.internal.workers.WorkerTasks;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** A future completes while the downstream stage pulls. The result is delivered exactly once. */
@JCStressTest
@Outcome(id = "7, 1", expect = Expect.ACCEPTABLE, desc = "the result, then the end")
@Outcome(expect = Expect.FORBIDDEN, desc = "a result or a wake-up was lost")
@State
public class AsyncCompletionStress {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final CompletableFuture<Integer> future = new CompletableFuture<>();
    private final AsyncStage<Integer, Integer> stage = started(future, AckTarget.NONE, Supervision.fail());

    /** Returns a stage that has started one element and has seen the end of its input. */
    static AsyncStage<Integer, Integer> started(
            CompletableFuture<Integer> future, AckTarget target, Supervision supervision) {
        WorkerTasks tasks = new WorkerTasks(new TaskGroup("stress", escaped -> {}), Dispatcher.virtual(), "stress");
        AsyncStage<Integer, Integer> made = new AsyncStage<>(
                new WorkerLimit(Parallelism.fixed(1), 0),
                Ordering.input(),
                element -> future,
                SupervisedCall.by(
                        new StageAttributes(Attributes.named("stress").withSupervision(supervision)), Clock.SYSTEM),
                new StageMeter(),
                tasks,
                Clock.SYSTEM,
                8);
        try {
            made.feed(new One(Batch.of(new Object[] {1}, 1, target, new long[] {0})), new StageMeter());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return made;
    }

    private static final class One implements Stage<Integer> {
        private @Nullable Batch<Integer> left;

        One(Batch<Integer> batch) {
            left = batch;
        }

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) {
            Batch<Integer> batch = left;
            left = null;
            return batch;
        }

        @Override
        public void close() {}
    }

    @Actor
    public void completer() {
        future.complete(7);
    }

    @Actor
    public void puller(II_Result result) {
        try {
            Batch<Integer> batch = stage.pull(System.nanoTime() + PATIENCE_NANOS);
            if (batch != null && !batch.isEmpty()) {
                result.r1 = batch.get(0);
                result.r2 = stage.pull(Stage.NEVER) == null ? 1 : 0;
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * The stage is closed while a future fails, which makes the stage skip the element. The element's acknowledgement
     * ends exactly once.
     */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "failed first: skipped; or closed first: abandoned")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both, or neither")
    @State
    public static class Close {

        final AtomicInteger ended = new AtomicInteger();
        private final CompletableFuture<Integer> future = new CompletableFuture<>();
        private final AsyncStage<Integer, Integer> stage = started(future, counting(ended), Supervision.skip());

        static AckTarget counting(AtomicInteger ended) {
            return new AckTarget() {
                @Override
                public void ack(long token) {
                    ended.incrementAndGet();
                }

                @Override
                public void abandon(long token) {
                    ended.incrementAndGet();
                }

                @Override
                public void retain(long token, int claims) {
                    throw new AssertionError();
                }
            };
        }

        @Actor
        public void failer() {
            future.completeExceptionally(new IllegalStateException());
        }

        @Actor
        public void closer() {
            stage.close();
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = ended.get();
        }
    }

    /** Faulty: both completers may notify the stage. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "told once")
    @Outcome(expect = Expect.FORBIDDEN, desc = "told twice")
    @State
    public static class Broken {

        private final AtomicInteger told = new AtomicInteger();
        private volatile @Nullable Object stage = new Object();

        private void accept() {
            if (stage != null) {
                // Waits briefly, so that the other actor acts at the same time more often.
                for (int i = 0; i < 10; i++) {
                    Thread.onSpinWait();
                }
                stage = null;
                told.incrementAndGet();
            }
        }

        @Actor
        public void first() {
            accept();
        }

        @Actor
        public void second() {
            accept();
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = told.get();
        }
    }
}
