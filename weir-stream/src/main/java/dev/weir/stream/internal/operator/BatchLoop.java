package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.SpecialisedLoop;
import dev.weir.stream.spi.Batch;

/**
 * A loop that processes one batch of a stage. It has no state, so several stages can share it. Each class of user
 * functions gets its own copy of the loop; see {@link SpecialisedLoop}. Performance-critical code must be in the loop
 * itself, not in shared methods.
 */
interface BatchLoop<T, S> {

    /**
     * Processes a non-empty batch: moves the elements to emit to the front, and settles the remaining ones.
     *
     * @return number of elements to emit
     */
    int run(Batch<T> batch, S stage) throws InterruptedException;

    /**
     * Returns the loop's copy for functions of the class of {@code function}. {@code loops} must contain the loop of
     * the calling stage, because the types are not checked.
     */
    @SuppressWarnings("unchecked") // a loop only passes elements to the function and stores the results
    static <T, S> BatchLoop<T, S> of(SpecialisedLoop<BatchLoop<?, ?>> loops, Object function) {
        return (BatchLoop<T, S>) loops.forFunction(function);
    }
}
