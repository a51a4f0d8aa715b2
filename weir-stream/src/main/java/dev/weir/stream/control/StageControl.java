package dev.weir.stream.control;

import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;

/**
 * The number of elements a parallel stage ({@code mapBlocking}, {@code mapAsync}, {@code mapParallel}) of a running
 * pipeline works on at once, to be read and changed. Found by {@link RunningPipeline#handles}; stages within substreams
 * have none. Thread-safe, valid for as long as the pipeline.
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
     * The name of the dispatcher on which it works, as in {@link DispatcherControl#snapshot}; its size is a bound of
     * {@link #mostAtOnce}.
     */
    String dispatcher();

    /** Calls of its function that failed so far; one that is tried again and fails counts again. */
    long failedCalls();

    /** The number of elements it may work on at once now. */
    int parallelism();

    /**
     * The highest number that {@link #parallelism(int)} takes now. The stage set memory aside for it when it started
     * (512 elements, or 8 for each that it may work on at once), and a dispatcher with few threads is a bound as well.
     */
    int mostAtOnce();

    /**
     * Works on {@code n} elements at once from now on, in the stage's order as before. What is being worked on is
     * finished; nothing is lost or worked on twice. An adaptive stage stays at this number.
     *
     * @param n 1 to {@link #mostAtOnce}
     * @throws IllegalArgumentException if it is out of these bounds
     * @throws IllegalStateException if the pipeline has ended
     */
    void parallelism(int n);
}
