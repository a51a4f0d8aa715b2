package dev.weir.stream.internal.run;

import dev.weir.stream.spi.StageContext.Termination;

/** What stages live in: a run, or a stream within it that starts and ends while the run goes on. Thread-safe. */
interface Lifetime {

    /** See {@link dev.weir.stream.spi.StageContext#onStop}. */
    void onStop(Runnable stop);

    /** See {@link dev.weir.stream.spi.StageContext#onTermination}. */
    void onTermination(Termination termination);
}
