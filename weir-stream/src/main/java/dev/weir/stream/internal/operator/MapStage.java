package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.internal.run.SpecialisedLoop;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.PassMark;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.lang.invoke.MethodHandles;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Replaces each element in place and keeps its acknowledgement. If the function fails, the preceding elements are
 * passed on first. Up to {@value #LONGEST_GROUP} map stages form a group; see {@link MapGroup}. Confined to the stage's
 * thread.
 */
final class MapStage<T, R> implements Stage<R>, MapGroup<R> {

    private static final SpecialisedLoop<MapLoop> LOOPS =
            SpecialisedLoop.of(MethodHandles.lookup(), new FunctionLoop());

    /** Maximum number of maps in a group. The JIT compiler does not inline the nested calls of a longer group. */
    private static final int LONGEST_GROUP = 4;

    /** One in this number of batches is a sample batch, in which each function of a group is timed separately. */
    private static final int BATCHES_PER_SAMPLE = 32;

    private final Stage<T> upstream;
    private final @Nullable MapStage<?, T> above;
    private final Stage<?> source;
    private final int length;
    private final String names;

    private final MapLoop loop;
    private final Function<Object, Object> function;
    private final StageMeter meter;
    private final SupervisedCall supervised;
    private final Clock clock;

    private final HeldElements inside;
    private final PassMark mark;

    /** True if the downstream sink applies the group's functions. */
    private boolean inSink;
    /** True if the sink must still apply the group's functions to the last pulled batch. */
    private boolean owed;

    private @Nullable Throwable failure;
    private int batches;
    /** Number of elements of the current batch that this stage dropped. */
    private int dropped;
    /** Time that this stage needed for the last sample batch, at least 1. */
    private long sampleNanos = 1;

    @SuppressWarnings("unchecked") // the function accepts the upstream stage's output and returns an R
    private MapStage(StageWiring<T> wiring, Function<? super T, ? extends R> function) {
        this.upstream = wiring.upstream();
        this.above = upstream instanceof MapStage<?, T> map && map.length < LONGEST_GROUP ? map : null;
        this.source = above == null ? upstream : above.source;
        this.length = above == null ? 1 : above.length + 1;
        this.loop = LOOPS.forFunction(function);
        this.function = (Function<Object, Object>) function;
        this.meter = wiring.meter();
        this.names = above == null ? meter.stageName() : meter.stageName() + "\n" + above.names;
        this.supervised = wiring.supervised();
        this.clock = wiring.clock();
        this.inside = new HeldElements(meter);
        this.mark = above == null ? new PassMark() : above.mark;
    }

    static <T, R> BlueprintNode<R> node(BlueprintNode<T> above, Function<? super T, ? extends R> function) {
        return StageWiring.node("map", above, wiring -> new MapStage<T, R>(wiring, function));
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
        throw FailureTransfer.rethrowFromAbove(failure);
    }

    /** Lets a downstream sink apply the group's functions to most batches. */
    MapGroup<R> joinedBySink() {
        inSink = true;
        return this;
    }

    @Override
    public String names() {
        return names;
    }

    @Override
    public boolean isOwed() {
        return owed;
    }

    @Override
    @SuppressWarnings("unchecked") // the last function returns an R
    public R through(Object element) throws InterruptedException, Dropped {
        return (R) loop.apply(element, this, above);
    }

    @Override
    public boolean drop(Dropped dropped, Batch<?> batch, int index) {
        DroppedAt here = (DroppedAt) dropped;
        if (here.verdict.fails()) {
            here.at.supervised.note(here.verdict, batch, index);
            here.at.dropped += batch.size() - index;
            failure = here.verdict.failure();
            batch.abandonFrom(index);
            return true;
        }
        here.at.dropped++;
        MapStage<?, ?> stage = this;
        for (; stage != here.at; stage = Objects.requireNonNull(stage.above)) {
            stage.meter.dropInPass(false);
        }
        stage.meter.dropInPass(true);
        here.verdict.settle(batch.target(index), batch.token(index));
        return false;
    }

    @Override
    public long countInSink(int size, long startNanos, long sinkSampleNanos) {
        endTogether();
        double nanosPerSample = (double) (System.nanoTime() - startNanos) / (samplesNanos() + sinkSampleNanos);
        int ignored = countGroup(size, nanosPerSample);
        return (long) (sinkSampleNanos * nanosPerSample);
    }

    @Override
    public void throwFailure() throws InterruptedException {
        if (failure != null) {
            throw FailureTransfer.rethrowFromAbove(failure);
        }
    }

    /** Applies each function of the group to the complete batch, the most upstream one first. */
    private void runApart(Batch<?> batch) throws InterruptedException {
        if (above != null) {
            above.runApart(batch);
        }
        int size = batch.size();
        if (size > 0) {
            long start = System.nanoTime();
            meter.beginPass(batch, true, start);
            batch.truncate(loop.run(batch, this, null));
            meter.endPass();
            dropped = 0;
            sampleNanos = Math.max(1, System.nanoTime() - start);
            count(size, batch.size(), sampleNanos);
            meter.ran(sampleNanos);
        }
    }

    /**
     * Returns the failure of the earliest failed element, or null. After a map fails, the maps downstream of it process
     * only earlier elements, so the most downstream failure is the earliest.
     */
    private @Nullable Throwable firstFailure() {
        return failure != null || above == null ? failure : above.firstFailure();
    }

    private void runTogether(Batch<?> batch) throws InterruptedException {
        int size = batch.size();
        long start = System.nanoTime();
        beginTogether(batch, start, (double) samplesNanos());
        batch.truncate(loop.run(batch, this, above));
        long nanos = System.nanoTime() - start;
        endTogether();
        meter.ran(nanos, names);
        countGroup(size, (double) nanos / samplesNanos());
    }

    @Override
    public PassMark begin(Batch<?> batch, long startNanos, long sinkSampleNanos) {
        beginTogether(batch, startNanos, (double) samplesNanos() + sinkSampleNanos);
        return mark;
    }

    private void beginTogether(Batch<?> batch, long startNanos, double allNanos) {
        meter.beginPass(batch, true, startNanos, mark, length, sampleNanos / allNanos);
        if (above != null) {
            above.beginTogether(batch, startNanos, allNanos);
        }
    }

    private void endTogether() {
        meter.endPass();
        if (above != null) {
            above.endTogether();
        }
    }

    @Override
    public long samplesNanos() {
        return sampleNanos + (above == null ? 0 : above.samplesNanos());
    }

    /**
     * Counts a batch of {@code size} elements for this stage and the group's upstream stages. Returns the number of
     * elements that leave this stage.
     */
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

    /**
     * Returns the result of a successful retry. Throws {@link Dropped} if the element is dropped or the stream must
     * fail.
     */
    private Object afterFailure(Throwable thrown, Object element) throws InterruptedException, Dropped {
        Object outcome = supervised.after(thrown, this::call, element);
        if (outcome instanceof FailureVerdict verdict) {
            throw new DroppedAt(this, verdict);
        }
        return outcome;
    }

    @Override
    public void close() {
        meter.endPass();
        inside.set(0);
        upstream.close();
    }

    /** The map that dropped an element, and its verdict. */
    private static final class DroppedAt extends Dropped {

        private static final long serialVersionUID = 1;

        private final transient MapStage<?, ?> at;
        private final transient FailureVerdict verdict;

        DroppedAt(MapStage<?, ?> at, FailureVerdict verdict) {
            this.at = at;
            this.verdict = verdict;
        }
    }

    /** Applies functions to the elements of a batch. Each function class gets its own copy; see {@link BatchLoop}. */
    private interface MapLoop {

        /**
         * Applies the functions of a group to a batch. {@code stage} is the most downstream map of the group.
         *
         * @param above the next map upstream in the group, or null to apply only the function of {@code stage}
         * @return number of elements to emit
         */
        int run(Batch<?> batch, MapStage<?, ?> stage, @Nullable MapStage<?, ?> above) throws InterruptedException;

        /** Applies the group's functions to an element. */
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
            stage.mark.at(stage.length);
            try {
                return notNull(stage.function.apply(input));
            } catch (Throwable thrown) {
                return stage.afterFailure(thrown, input);
            }
        }
    }
}
