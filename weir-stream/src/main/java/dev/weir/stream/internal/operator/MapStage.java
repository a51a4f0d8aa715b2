package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.Supervised;
import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Failures;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.internal.run.Passage;
import dev.weir.stream.internal.run.Specialised;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.lang.invoke.MethodHandles;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Replaces each element in place; its acknowledgement stays beside it. A failure leaves after the elements before it.
 *
 * <p>Up to {@value #LONGEST_GROUP} of them, one right below the other, form a group: the lowest pulls from above the
 * highest and takes each element through all functions before it stores the result, see ADR 10. Each keeps its own
 * supervision and its own counters. Confined to its segment.
 */
final class MapStage<T, R> implements Stage<R> {

    private static final Specialised<MapLoop> LOOPS = Specialised.of(MethodHandles.lookup(), new FunctionLoop());

    /** The compiler inlines no deeper. */
    private static final int LONGEST_GROUP = 4;

    /** Once in so many batches each function of a group goes over the batch by itself, to see how long it takes. */
    private static final int BATCHES_PER_SAMPLE = 32;

    private final Stage<T> upstream;
    private final @Nullable MapStage<?, T> above;
    private final Stage<?> source;
    private final int length;
    private final MapLoop loop;
    private final Function<Object, Object> function;
    private final StageMeter meter;
    private final Supervised supervised;
    private final Clock clock;

    private final HeldElements inside;

    /** Whether the sink below takes elements through the group. */
    private boolean inSink;
    /** Whether it is to do so with the batch that it has just pulled. */
    private boolean owed;

    private @Nullable Throwable failure;
    private int batches;
    /** Elements of the current batch that went no further than this stage. */
    private int dropped;
    /** What this stage took for a batch when it was last looked at, at least 1. */
    private long sampleNanos = 1;

    @SuppressWarnings("unchecked") // elements of the stage above go in, and what comes out is an R
    private MapStage(
            Stage<T> upstream,
            Function<? super T, ? extends R> function,
            StageMeter meter,
            Supervised supervised,
            Clock clock) {
        this.upstream = upstream;
        this.above = upstream instanceof MapStage<?, T> map && map.length < LONGEST_GROUP ? map : null;
        this.source = above == null ? upstream : above.source;
        this.length = above == null ? 1 : above.length + 1;
        this.loop = LOOPS.forFunction(function);
        this.function = (Function<Object, Object>) function;
        this.meter = meter;
        this.supervised = supervised;
        this.clock = clock;
        this.inside = new HeldElements(meter);
    }

    static <T, R> Node<R> node(Node<T> above, Function<? super T, ? extends R> function) {
        return new Node<>("map", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            Clock clock = assembly.clock();
            return new MapStage<>(
                    upstream, function, assembly.fused(attributes).meter(), Supervised.by(attributes, clock), clock);
        });
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        while (failure == null) {
            Batch<?> batch = source.pull(deadlineNanos);
            if (batch == null) {
                return null;
            }
            if (batch.isEmpty()) {
                return batch.retyped();
            }
            owed = false;
            boolean sample = batches++ % BATCHES_PER_SAMPLE == 0;
            if (inSink && !sample) {
                owed = true;
                return batch.retyped();
            }
            inside.set(batch.size());
            if (length == 1 || sample) {
                runApart(batch);
                failure = firstFailure();
            } else {
                runTogether(batch);
            }
            inside.set(0);
            if (!batch.isEmpty() || (failure == null && clock.hasPassed(deadlineNanos))) {
                return batch.retyped();
            }
            batch.release();
        }
        throw Failures.rethrowFromAbove(failure);
    }

    /** The group right above a sink, which from now on takes the elements of most batches through it; null if there is none. */
    static <T> @Nullable MapStage<?, T> rightAbove(Stage<T> upstream) {
        Stage<T> stage = upstream instanceof Passage<T> passage ? passage.upstream() : upstream;
        if (stage instanceof MapStage<?, T> map) {
            map.inSink = true;
            return map;
        }
        return null;
    }

    /** Whether the elements of the batch that was pulled last have not been through the group. */
    boolean isOwed() {
        return owed;
    }

    /** Takes an element through the group. */
    @SuppressWarnings("unchecked") // what the lowest function returns
    R through(Object element) throws InterruptedException, Dropped {
        return (R) loop.apply(element, this, above);
    }

    /** Settles an element that went no further than a stage of the group; true if the stream is to fail behind it. */
    boolean drop(Dropped dropped, Batch<?> batch, int index) {
        if (dropped.verdict.fails()) {
            dropped.at.dropped += batch.size() - index;
            failure = dropped.verdict.failure();
            batch.abandonFrom(index);
            return true;
        }
        dropped.at.dropped++;
        dropped.verdict.settle(batch.target(index), batch.token(index));
        return false;
    }

    /** Counts a batch that the sink has taken through the group since {@code start}; returns the time that is the sink's. */
    long countInSink(int size, long start, long sinkSampleNanos) {
        double nanosPerSample = (double) (System.nanoTime() - start) / (samplesNanos() + sinkSampleNanos);
        int ignored = countGroup(size, nanosPerSample);
        return (long) (sinkSampleNanos * nanosPerSample);
    }

    /** Throws what a function failed with, if one did. */
    void throwFailure() throws InterruptedException {
        if (failure != null) {
            throw Failures.rethrowFromAbove(failure);
        }
    }

    /** Each function of the group over the whole batch, the highest first. */
    private void runApart(Batch<?> batch) throws InterruptedException {
        if (above != null) {
            above.runApart(batch);
        }
        int size = batch.size();
        if (size > 0) {
            long start = System.nanoTime();
            batch.truncate(loop.run(batch, this, null));
            dropped = 0;
            sampleNanos = Math.max(1, System.nanoTime() - start);
            count(size, batch.size(), sampleNanos);
        }
    }

    /** The one that comes first in the stream: a lower stage has seen only what was before the failure of a higher one. */
    private @Nullable Throwable firstFailure() {
        return failure != null || above == null ? failure : above.firstFailure();
    }

    /** Each element through all functions of the group. */
    private void runTogether(Batch<?> batch) throws InterruptedException {
        int size = batch.size();
        long start = System.nanoTime();
        batch.truncate(loop.run(batch, this, above));
        double nanosPerSample = (double) (System.nanoTime() - start) / samplesNanos();
        countGroup(size, nanosPerSample);
    }

    private long samplesNanos() {
        return sampleNanos + (above == null ? 0 : above.samplesNanos());
    }

    /** Returns how many elements leave this stage. */
    private int countGroup(int size, double nanosPerSample) {
        int in = above == null ? size : above.countGroup(size, nanosPerSample);
        int out = in - dropped;
        dropped = 0;
        count(in, out, (long) (sampleNanos * nanosPerSample));
        return out;
    }

    private void count(int in, int out, long nanos) {
        meter.in(in);
        meter.out(out);
        meter.busy(nanos);
    }

    private Object call(Object element) {
        return notNull(function.apply(element));
    }

    private static Object notNull(@Nullable Object result) {
        if (result == null) {
            throw new NullPointerException("the function of map returned null; use mapConcat or filter to drop");
        }
        return result;
    }

    /** Another result after a failure, or a throw that ends the element's way through the group. */
    private Object afterFailure(Throwable thrown, Object element) throws InterruptedException, Dropped {
        Object outcome = supervised.after(thrown, this::call, element);
        if (outcome instanceof Verdict verdict) {
            throw new Dropped(this, verdict);
        }
        return outcome;
    }

    @Override
    public void close() {
        inside.set(0);
        upstream.close();
    }

    /** An element went no further than a stage of the group. */
    static final class Dropped extends Exception {

        private static final long serialVersionUID = 1;

        private final transient MapStage<?, ?> at;
        private final transient Verdict verdict;

        Dropped(MapStage<?, ?> at, Verdict verdict) {
            super(null, null, false, false);
            this.at = at;
            this.verdict = verdict;
        }
    }

    /** What is copied for each class of functions; see {@link Loop}. */
    private interface MapLoop {

        /**
         * Takes a batch through the group that ends with {@code stage}.
         *
         * @param above the stage above in the group, or null if the batch is to go through {@code stage} alone
         * @return how many elements go on
         */
        int run(Batch<?> batch, MapStage<?, ?> stage, @Nullable MapStage<?, ?> above) throws InterruptedException;

        /** Takes an element through the group. */
        Object apply(Object element, MapStage<?, ?> stage, @Nullable MapStage<?, ?> above)
                throws InterruptedException, Dropped;
    }

    private static final class FunctionLoop implements MapLoop {

        @Override
        public int run(Batch<?> batch, MapStage<?, ?> stage, @Nullable MapStage<?, ?> above)
                throws InterruptedException {
            int size = batch.size();
            int kept = 0;
            for (int i = 0; i < size; i++) {
                Object result;
                try {
                    result = apply(batch.get(i), stage, above);
                } catch (Dropped dropped) {
                    if (stage.drop(dropped, batch, i)) {
                        break;
                    }
                    continue;
                } catch (InterruptedException interrupted) {
                    batch.abandonAllBut(kept, i);
                    throw interrupted;
                }
                batch.move(i, kept);
                batch.set(kept++, result);
            }
            return kept;
        }

        @Override
        public Object apply(Object element, MapStage<?, ?> stage, @Nullable MapStage<?, ?> above)
                throws InterruptedException, Dropped {
            Object input = above == null ? element : above.loop.apply(element, above, above.above);
            try {
                return notNull(stage.function.apply(input));
            } catch (Throwable thrown) {
                return stage.afterFailure(thrown, input);
            }
        }
    }
}
