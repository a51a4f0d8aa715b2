package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.SpecialisedLoop;
import dev.weir.stream.spi.Batch;

/**
 * The work of a stage on the elements of one batch. Stateless, so that stages can share it; the state is the stage's.
 * Each is nested in its stage and copied for each class of functions, see {@link SpecialisedLoop}: all that is hot must
 * be in it and not in methods that stages share.
 */
interface BatchLoop<T, S> {

    /**
     * Works on a batch of at least one element: moves those that go on to its front and settles the others.
     *
     * @return how many go on
     */
    int run(Batch<T> batch, S stage) throws InterruptedException;

    /** The loop among {@code loops} for this function of a stage; all are loops of that kind of stage. */
    @SuppressWarnings("unchecked") // a loop hands elements to the function and takes in what that returns, no more
    static <T, S> BatchLoop<T, S> of(SpecialisedLoop<BatchLoop<?, ?>> loops, Object function) {
        return (BatchLoop<T, S>) loops.forFunction(function);
    }
}
