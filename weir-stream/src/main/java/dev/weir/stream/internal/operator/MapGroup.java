package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.PassThroughStage;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.PassMark;
import dev.weir.stream.spi.Stage;
import org.jspecify.annotations.Nullable;

/**
 * Up to four {@code map} stages in a row, which take each element through all of their functions before they store the
 * result; and the door through which the sink below does so. Confined to the thread of the segment.
 *
 * <p><b>Why.</b> A chain of maps spends more time between its functions than in them: each stage stores a reference per
 * element, and G1 surrounds each store with two checks. A group stores once for all of its functions; with a sink that
 * takes part, nothing is stored at all. ADR 10 has the figures and ADR 66 the reasons why groups stay.
 *
 * <p><b>How a group forms.</b> {@link MapStage} is the one implementation. A map that is built right below another one
 * joins its group, unless that is full; the lowest map stands for the group and pulls from above the highest. No other
 * stage knows of groups. Four, because the compiler inlines no deeper than fifteen calls.
 *
 * <p><b>How a batch goes through it.</b>
 * <pre>
 *   lowest.pull: source.pull -- no sink takes part -------&gt; each element through all functions, stored once
 *                            -- a sink takes part --------&gt; handed on as it came: the group owes it
 *                            -- one batch in 32 (sample) -&gt; each function over the whole batch, as without groups
 *   sink:        isOwed()? --&gt; for each element: through(element), consume; then countInSink and throwFailure
 * </pre>
 *
 * <p><b>What must not change by it.</b>
 * <ul>
 *   <li><em>Supervision stays with each map.</em> What a function throws is caught around that function, with the
 *       element that it was given. An element that is dropped leaves by {@link Dropped}, which costs no stack trace;
 *       {@link #drop} settles it. A failure leaves after the elements before it, by {@link #throwFailure}.
 *   <li><em>Counters stay with each map.</em> Elements are counted exactly. Busy time is measured for the whole group
 *       and shared out as the functions shared the time of the last sample.
 *   <li><em>An element that was not consumed keeps its acknowledgement.</em> It stays beside the element in the batch.
 * </ul>
 *
 * @param <R> what leaves the lowest map
 */
interface MapGroup<R> {

    /** The sink's place behind those of the maps. */
    int SINK = Integer.MAX_VALUE;

    /**
     * The group right above a sink, which from now on takes the elements of most batches through it; null if there is
     * none.
     */
    static <T> @Nullable MapGroup<T> rightAbove(Stage<T> upstream) {
        Stage<T> stage = upstream instanceof PassThroughStage<T> passage ? passage.upstream() : upstream;
        return stage instanceof MapStage<?, T> map ? map.joinedBySink() : null;
    }

    /** The names of its stages, the lowest first, a line for each. */
    String names();

    /** Returns whether the elements of the batch that was pulled last have not been through the group. */
    boolean isOwed();

    /**
     * Takes an element of that batch through the group.
     *
     * @throws Dropped if it goes no further than one of the maps; the caller hands that to {@link #drop}
     */
    R through(Object element) throws InterruptedException, Dropped;

    /** Settles the element at {@code index} that was dropped; true if the stream is to fail behind those before it. */
    boolean drop(Dropped dropped, Batch<?> batch, int index);

    /** Total time of its stages' last samples, at least 1. */
    long samplesNanos();

    /**
     * Begins to take a batch through the group, until {@link #countInSink}.
     *
     * @param sinkSampleNanos the sink's own part of a batch when it was last looked at alone
     * @return where the sink notes, with {@link #SINK}, that it has an element
     */
    PassMark begin(Batch<?> batch, long startNanos, long sinkSampleNanos);

    /**
     * Counts a batch that the sink has taken through the group.
     *
     * @param startNanos when it began
     * @param sinkSampleNanos the sink's own part of a batch when it was last looked at alone
     * @return the part of the time that is the sink's
     */
    long countInSink(int size, long startNanos, long sinkSampleNanos);

    /** Throws what a function failed with, if one did. */
    void throwFailure() throws InterruptedException;

    /** An element went no further than a map of the group. Immutable. */
    abstract class Dropped extends Exception {

        private static final long serialVersionUID = 1;

        Dropped() {
            super(null, null, false, false);
        }
    }
}
