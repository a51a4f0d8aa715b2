package dev.weir.stream.control;

/**
 * A rate limit in a running pipeline: a {@code throttle}, or a source with a {@link RateControl}. Returned by
 * {@link dev.weir.stream.RunningPipeline#handles}, except for stages within substreams. Thread-safe.
 */
public interface Pace {

    /** Name of the stage, as in {@link dev.weir.stream.StageSnapshot#name}. */
    String stage();

    /** Maximum number of elements, or maximum total cost, per second; 0 if unlimited. */
    double perSecond();

    /** Total time that elements have waited for the rate limit alone, in nanoseconds. Includes a wait in progress. */
    long waitedNanos();
}
