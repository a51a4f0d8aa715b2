package dev.weir.stream.control;

import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;

/**
 * Reads and changes the parallelism of a stage of a running pipeline: {@code mapBlocking}, {@code mapAsync} or
 * {@code mapParallel}. Returned by {@link RunningPipeline#handles}; stages within substreams have none. Thread-safe.
 * Valid while the pipeline runs.
 *
 * <pre>{@code
 * for (StageControl stage : running.handles(StageControl.class)) {
 *     stage.parallelism(Math.min(2 * stage.parallelism(), stage.mostAtOnce()));
 * }
 * }</pre>
 */
public interface StageControl {

    /** Name of the stage, as in {@link StageSnapshot#name}. */
    String stage();

    /**
     * Name of the stage's dispatcher, as in {@link DispatcherControl#snapshot}. Its size limits {@link #mostAtOnce}.
     */
    String dispatcher();

    /** Number of failed calls of the stage's function, including failed retries. */
    long failedCalls();

    /** Current maximum number of elements in flight. */
    int parallelism();

    /**
     * The largest value that {@link #parallelism(int)} accepts now. The dispatcher's threads and the stage's memory
     * limit it. By default, a stage reserves memory for 8 elements per unit of its highest parallelism, at least 512
     * elements.
     */
    int mostAtOnce();

    /**
     * Sets the number of elements that are processed at once. The ordering stays the same. Elements in flight are
     * finished. An adaptive stage stops adapting and keeps this number.
     *
     * @param n 1 to {@link #mostAtOnce}
     * @throws IllegalArgumentException if {@code n} is out of range
     * @throws IllegalStateException if the pipeline has ended
     */
    void parallelism(int n);
}
