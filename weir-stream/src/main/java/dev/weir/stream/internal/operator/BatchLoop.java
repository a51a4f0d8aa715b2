package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.SpecialisedLoop;
import dev.weir.stream.spi.Batch;

/**
 * A loop that processes one batch of a stage. The loop has no state, so several stages can share it. It is nested in
 * its stage's class. Each class of user functions gets its own copy of the loop; see {@link SpecialisedLoop}. All
 * performance-critical code must therefore be in the loop itself, not in methods that other stages also use.
 */
interface BatchLoop<T, S> {

    /**
     * Processes a non-empty batch: moves the elements to emit to the front of the batch and settles the others.
     *
     * @return number of elements to emit
     */
    int run(Batch<T> batch, S stage) throws InterruptedException;

    /**
     * Returns the copy of a stage's loop that is used for functions of the class of {@code function}. {@code loops}
     * must contain the loop of the calling stage, because the types are not checked.
     */
    @SuppressWarnings("unchecked") // a loop only passes elements to the function and stores the results
    static <T, S> BatchLoop<T, S> of(SpecialisedLoop<BatchLoop<?, ?>> loops, Object function) {
        return (BatchLoop<T, S>) loops.forFunction(function);
    }
}
