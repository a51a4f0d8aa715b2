package dev.weir.stream;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Settings for restarting part of a stream. Immutable. */
public final class RestartSettings {

    /** The value of {@link #maxRestarts} if the number of restarts is not limited. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    private static final Duration LONGEST = Duration.ofDays(365);

    private final Values values;

    private RestartSettings(Backoff backoff, int maxRestarts, Duration within, boolean onCompletion) {
        this.values = new Values(backoff, maxRestarts, within, onCompletion);
    }

    /**
     * The back-off before each restart. The delay grows with the number of restarts during the last period of length
     * {@link #within}.
     */
    public Backoff backoff() {
        return values.backoff;
    }

    /**
     * The maximum number of restarts during the last period of length {@link #within}. Once this number is reached, the
     * next failure is passed on instead of causing a restart.
     */
    public int maxRestarts() {
        return values.maxRestarts;
    }

    /** The period over which restarts are counted. */
    public Duration within() {
        return values.within;
    }

    /** Returns whether the stages are also restarted after they have ended normally. */
    public boolean onCompletion() {
        return values.onCompletion;
    }

    /**
     * Creates settings that restart the stages after failures only, without limiting the number of restarts. The
     * back-off starts over after a period without restarts: ten times the maximum delay, but at least one minute.
     */
    public static RestartSettings of(Backoff backoff) {
        Duration calm = backoff.max().multipliedBy(10);
        Duration bounded = calm.compareTo(LONGEST) > 0 ? LONGEST : calm;
        Duration minute = Duration.ofMinutes(1);
        return new RestartSettings(backoff, UNLIMITED, bounded.compareTo(minute) < 0 ? minute : bounded, false);
    }

    /**
     * Returns these settings with a limit on the number of restarts within a period.
     *
     * @param restarts maximum number of restarts, at least 0
     * @param span the period over which restarts are counted, more than 0
     */
    public RestartSettings atMost(int restarts, Duration span) {
        return new RestartSettings(values.backoff, restarts, Objects.requireNonNull(span, "span"), values.onCompletion);
    }

    /** Returns settings that also restart the stages after a normal end, not only after a failure. */
    public RestartSettings alsoOnCompletion() {
        return new RestartSettings(values.backoff, values.maxRestarts, values.within, true);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RestartSettings that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "RestartSettings");
    }

    private record Values(Backoff backoff, int maxRestarts, Duration within, boolean onCompletion) {

        Values {
            Objects.requireNonNull(backoff, "backoff");
            if (maxRestarts < 0) {
                throw new IllegalArgumentException("maxRestarts must not be negative: maxRestarts=" + maxRestarts);
            }
            if (within.compareTo(Duration.ZERO) <= 0 || within.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(
                        "within must be more than 0, up to " + LONGEST + ": within=" + within);
            }
        }
    }
}
