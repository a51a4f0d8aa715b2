package dev.weir.stream.control;

/**
 * A place in a running pipeline that lets elements pass at a rate: a {@code throttle}, or a source with a {@link
 * RateControl}. Found by {@link dev.weir.stream.RunningPipeline#handles}; stages within substreams have none.
 * Thread-safe.
 */
public interface Pace {

    /** The stage's name, as in {@link dev.weir.stream.StageSnapshot#name}. */
    String stage();

    /** The number of elements that may pass in a second, or how much of their cost; 0 if any number may. */
    double perSecond();

    /**
     * For how long, since the start, elements were there and waited for the rate alone, in nanoseconds; with the
     * wait that goes on.
     */
    long waitedNanos();
}
