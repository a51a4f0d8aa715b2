package dev.weir.stream.control;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.RunningPipeline;

/**
 * Shows and resizes a dispatcher that a running pipeline uses. Found by {@link RunningPipeline#handles}, one for each
 * dispatcher that its segments and parallel stages run on. Thread-safe.
 */
public interface DispatcherControl {

    /** The dispatcher's counters, with its name, kind and size. */
    DispatcherSnapshot snapshot();

    /**
     * The smallest number of threads that keeps the pipeline running: one for each thread that its segments occupy, and
     * one for workers.
     */
    int fewest();

    /**
     * Changes the number of threads, see {@link Dispatcher#resize}.
     *
     * @param threads {@link #fewest} to 32767
     * @throws IllegalArgumentException if it is out of these bounds
     * @throws UnsupportedOperationException if the dispatcher is of a kind without a size, or single
     */
    void size(int threads);
}
