package dev.weir.stream.control;

/**
 * A rate limit in a running pipeline: a {@code throttle}, or a source with a {@link RateControl}. Found by
 * {@link dev.weir.stream.RunningPipeline#handles}; stages within substreams have none. Thread-safe.
 */
public interface Pace {

    /** The stage's name, as in {@link dev.weir.stream.StageSnapshot#name}. */
    String stage();

    /** The number of elements that may pass per second, or their total cost; 0 if unlimited. */
    double perSecond();

    /**
     * The total time, in nanoseconds, that elements have waited only because of the rate, a wait in progress included.
     */
    long waitedNanos();
}
