package dev.weir.stream.internal.run;

import dev.weir.stream.spi.StageContext.Termination;

/** The scope of a stage: the whole run, or a stream that starts and ends within the run. Thread-safe. */
interface StageLifetime {

    /**
     * See {@link dev.weir.stream.spi.StageContext#onStop}.
     *
     * @param of the source's name
     */
    void onStop(String of, Runnable stop);

    /** Adds a stop hook for a stage that is not a source. */
    void alsoOnStop(Runnable stop);

    /** Reports that the source which registered {@code stop} has ended by itself. */
    default void ended(Runnable stop) {}

    /** Reports that a stop has cut the stage {@code at} short. */
    default void cut(String at) {}

    /** Returns whether a stage that ends early does so by itself. */
    boolean isWhole();

    /** See {@link dev.weir.stream.spi.StageContext#exposeResource}. */
    void exposeResource(Object handle);

    /** See {@link dev.weir.stream.spi.StageContext#onTermination}. */
    void onTermination(Termination termination);
}
