package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.SpecialisedLoop;
import dev.weir.stream.spi.Batch;

/**
 * The loop of a stage over one batch. Stateless, so that stages can share it; the stage holds the state. Each loop is
 * nested in its stage and copied for each class of functions, see {@link SpecialisedLoop}, so it must contain all hot
 * code instead of calling methods that stages share.
 */
interface BatchLoop<T, S> {

    /**
     * Processes a non-empty batch: moves the elements that pass to its front and settles the others.
     *
     * @return number of elements that pass
     */
    int run(Batch<T> batch, S stage) throws InterruptedException;

    /** The loop among {@code loops} for this function of a stage; all are loops of that kind of stage. */
    @SuppressWarnings("unchecked") // a loop only passes elements to the function and stores the results
    static <T, S> BatchLoop<T, S> of(SpecialisedLoop<BatchLoop<?, ?>> loops, Object function) {
        return (BatchLoop<T, S>) loops.forFunction(function);
    }
}
