package dev.weir.stream.control;

/**
 * A rate limit in a running pipeline: a {@code throttle}, or a source with a {@link RateControl}. Returned by
 * {@link dev.weir.stream.RunningPipeline#handles}; stages within substreams do not have one. Thread-safe.
 */
public interface Pace {

    /** The stage's name, as in {@link dev.weir.stream.StageSnapshot#name}. */
    String stage();

    /** The maximum number of elements per second, or their maximum total cost per second; 0 if unlimited. */
    double perSecond();

    /**
     * The total time, in nanoseconds, that elements have waited for no other reason than the rate limit. Includes a
     * wait in progress.
     */
    long waitedNanos();
}
