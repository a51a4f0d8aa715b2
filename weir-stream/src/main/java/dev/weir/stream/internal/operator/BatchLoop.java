package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.SpecialisedLoop;
import dev.weir.stream.spi.Batch;

/**
 * The loop of a stage over one batch. Stateless, so several stages can use the same loop; the state is kept in the
 * stage. Each loop is nested in its stage's class and copied for each class of functions; see {@link SpecialisedLoop}.
 * It must therefore contain all performance-critical code and must not call methods that other stages also use.
 */
interface BatchLoop<T, S> {

    /**
     * Processes a non-empty batch: moves the elements to emit to the front of the batch and settles the others.
     *
     * @return number of elements to emit
     */
    int run(Batch<T> batch, S stage) throws InterruptedException;

    /**
     * Returns the copy of a stage's loop for the class of {@code function}. {@code loops} must contain the loop of the
     * calling stage, because the types are not checked.
     */
    @SuppressWarnings("unchecked") // a loop only passes elements to the function and stores the results
    static <T, S> BatchLoop<T, S> of(SpecialisedLoop<BatchLoop<?, ?>> loops, Object function) {
        return (BatchLoop<T, S>) loops.forFunction(function);
    }
}
