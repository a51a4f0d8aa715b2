package dev.weir.stream.control;

import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;

/**
 * Reads and changes the parallelism of a stage of a running pipeline: {@code mapBlocking}, {@code mapAsync} or
 * {@code mapParallel}. Found by {@link RunningPipeline#handles}; stages within substreams have none. Thread-safe, valid
 * for as long as the pipeline.
 *
 * <pre>{@code
 * for (StageControl stage : running.handles(StageControl.class)) {
 *     stage.parallelism(Math.min(2 * stage.parallelism(), stage.mostAtOnce()));
 * }
 * }</pre>
 */
public interface StageControl {

    /** The stage's name, as in {@link StageSnapshot#name}. */
    String stage();

    /**
     * The name of the stage's dispatcher, as in {@link DispatcherControl#snapshot}; its size limits
     * {@link #mostAtOnce}.
     */
    String dispatcher();

    /** Number of failed calls of its function so far, counting each failed retry. */
    long failedCalls();

    /** The current limit of elements in flight at once. */
    int parallelism();

    /**
     * The highest value that {@link #parallelism(int)} accepts now. It is limited by the memory that the stage reserved
     * at its start (512 elements, or 8 per element in flight), and by the threads of the dispatcher.
     */
    int mostAtOnce();

    /**
     * Works on {@code n} elements at once from now on, in the stage's order as before. Elements in flight are finished;
     * nothing is lost or processed twice. An adaptive stage stays at this number.
     *
     * @param n 1 to {@link #mostAtOnce}
     * @throws IllegalArgumentException if it is out of these bounds
     * @throws IllegalStateException if the pipeline has ended
     */
    void parallelism(int n);
}
