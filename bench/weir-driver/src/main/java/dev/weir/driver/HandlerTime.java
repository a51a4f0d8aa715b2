package dev.weir.driver;

/**
 * The time for which handlers blocked. Immutable.
 *
 * @param calls number of finished calls
 * @param nanos total time of these calls. It does not include the time spent waiting for a
 *     {@link HandlerWork#DOWNSTREAM} permit.
 */
public record HandlerTime(long calls, long nanos) {
    /** The time of no calls. */
    public static final HandlerTime NONE = new HandlerTime(0, 0);

    /** Adds two times. */
    public HandlerTime plus(HandlerTime other) {
        return new HandlerTime(calls + other.calls, nanos + other.nanos);
    }

    /** The difference from {@code earlier}. */
    public HandlerTime since(HandlerTime earlier) {
        return new HandlerTime(calls - earlier.calls, nanos - earlier.nanos);
    }

    /** Returns the average time of a call; 0 without calls. It includes the machine's time to wake a thread. */
    public double meanMillis() {
        return calls == 0 ? 0 : nanos / 1e6 / calls;
    }
}
