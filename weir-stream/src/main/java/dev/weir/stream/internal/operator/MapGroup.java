package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.PassThroughStage;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.PassMark;
import dev.weir.stream.spi.Stage;
import org.jspecify.annotations.Nullable;

/**
 * Up to four {@code map} stages in a row that apply all their functions to an element before storing the result. This
 * is also the interface through which a downstream sink applies these functions. Confined to the thread that runs the
 * group.
 *
 * <p><b>Purpose.</b> A chain of maps spends more time between its functions than in them: each stage stores a reference
 * per element, and G1 surrounds each store with two checks. A group stores each element once for all its functions; if
 * a sink takes part, no element is stored at all. ADR 10 has the measurements. ADR 66 explains why groups were kept.
 *
 * <p><b>Forming a group.</b> {@link MapStage} is the only implementation. A map that is built directly after another
 * one joins its group, unless the group is full. The most downstream map represents the group and pulls from the stage
 * upstream of the first map. No other stage knows about groups. The limit is four, because the compiler does not inline
 * more than fifteen nested calls.
 *
 * <p><b>Processing a batch.</b>
 *
 * <pre>
 *   lowest.pull: source.pull -- no sink takes part -------&gt; each element through all functions, stored once
 *                            -- a sink takes part --------&gt; passed on unchanged; the sink applies the functions
 *                            -- one batch in 32 (sample) -&gt; each function over the whole batch, as without groups
 *   sink:        isOwed()? --&gt; for each element: through(element), consume; then countInSink and throwFailure
 * </pre>
 *
 * <p><b>Invariants.</b>
 *
 * <ul>
 *   <li><em>Each map keeps its own supervision.</em> An exception is caught around the map's function, together with
 *       the function's argument. A dropped element is signalled by {@link Dropped}, which has no stack trace;
 *       {@link #drop} settles the element. If a function fails, the preceding elements are processed first, and then
 *       {@link #throwFailure} throws the failure.
 *   <li><em>Each map keeps its own counters.</em> Elements are counted exactly. Busy time is measured for the whole
 *       group and divided in proportion to the last sample.
 *   <li><em>An element that was not consumed keeps its pending acknowledgement,</em> which is stored in the same batch.
 * </ul>
 *
 * @param <R> the type of the elements that leave the last map
 */
interface MapGroup<R> {

    /** The mark of the sink in the {@link PassMark}. Maps have lower numbers. */
    int SINK = Integer.MAX_VALUE;

    /**
     * Joins a sink to the group directly upstream of it, and returns the group, or null if there is none. The sink then
     * applies the group's functions to most batches.
     */
    static <T> @Nullable MapGroup<T> rightAbove(Stage<T> upstream) {
        Stage<T> stage = upstream instanceof PassThroughStage<T> passage ? passage.upstream() : upstream;
        return stage instanceof MapStage<?, T> map ? map.joinedBySink() : null;
    }

    /** Names of the group's stages, one per line, the most downstream one first. */
    String names();

    /** Returns whether the sink must apply the group's functions to the last pulled batch. */
    boolean isOwed();

    /**
     * Applies the group's functions to an element of the last pulled batch.
     *
     * @throws Dropped if a map drops the element or fails; the caller must pass the exception to {@link #drop}
     */
    R through(Object element) throws InterruptedException, Dropped;

    /**
     * Settles the dropped element at {@code index}. If the stream must fail, abandons it and all later elements and
     * returns true.
     */
    boolean drop(Dropped dropped, Batch<?> batch, int index);

    /** Total time of the group's stages for the last sample batch, in nanoseconds, at least 1. */
    long samplesNanos();

    /**
     * Starts measuring a batch that the sink will process. The sink must call {@link #countInSink} afterwards.
     *
     * @param sinkSampleNanos time that the sink itself needed for the last sample batch
     * @return the mark, which the sink sets to {@link #SINK} before it processes an element
     */
    PassMark begin(Batch<?> batch, long startNanos, long sinkSampleNanos);

    /**
     * Counts a batch that the sink has processed.
     *
     * @param startNanos time at which processing started
     * @param sinkSampleNanos time that the sink itself needed for the last sample batch
     * @return the sink's part of the measured time
     */
    long countInSink(int size, long startNanos, long sinkSampleNanos);

    void throwFailure() throws InterruptedException;

    /** Thrown when a map of the group drops an element or fails. Immutable. */
    abstract class Dropped extends Exception {

        private static final long serialVersionUID = 1;

        Dropped() {
            super(null, null, false, false);
        }
    }
}
