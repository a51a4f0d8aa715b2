package dev.weir.stream.internal.run;

import dev.weir.stream.spi.StageContext.Termination;

/** The lifetime of stages: a run, or a stream within it that starts and ends while the run goes on. Thread-safe. */
interface StageLifetime {

    /**
     * See {@link dev.weir.stream.spi.StageContext#onStop}.
     *
     * @param of the source's name
     */
    void onStop(String of, Runnable stop);

    /** Calls {@code stop} as well, for a stage that is not a source. */
    void alsoOnStop(Runnable stop);

    /** The source that registered {@code stop} has ended by itself. */
    default void ended(Runnable stop) {}

    /** A stop ended something here before its end: the stage called {@code at}. */
    default void cut(String at) {}

    /** See {@link dev.weir.stream.spi.StageContext#onTermination}. */
    void onTermination(Termination termination);
}
