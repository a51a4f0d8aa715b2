package dev.weir.stream.control;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.RunningPipeline;

/**
 * Reads the counters of a running pipeline's dispatcher and changes its size. {@link RunningPipeline#handles} returns
 * one for each dispatcher that runs stages of the pipeline. Thread-safe.
 */
public interface DispatcherControl {

    /** The dispatcher's counters, including its name, kind and size. */
    DispatcherSnapshot snapshot();

    /**
     * The smallest number of threads that keeps the pipeline running: one for each group of fused stages, and one for
     * the workers of parallel stages.
     */
    int fewest();

    /**
     * Changes the number of threads. See {@link Dispatcher#resize}.
     *
     * @param threads {@link #fewest} to 32767
     * @throws IllegalArgumentException if {@code threads} is out of range
     * @throws UnsupportedOperationException if the dispatcher's kind is {@code VIRTUAL} or {@code SINGLE}
     */
    void size(int threads);
}
