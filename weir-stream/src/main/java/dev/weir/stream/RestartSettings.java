package dev.weir.stream;

import java.time.Duration;
import java.util.Objects;

/**
 * When a section of a stream is built anew. Immutable.
 *
 * @param backoff the waits before each restart; they grow with the restarts within {@code within}
 * @param maxRestarts how many restarts there may be within {@code within}; one more, and the section's failure goes on
 * @param within the span in which restarts are counted
 * @param onCompletion whether a section that ended normally is built anew as well
 */
public record RestartSettings(Backoff backoff, int maxRestarts, Duration within, boolean onCompletion) {

    /** As many restarts as it takes. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    private static final Duration LONGEST = Duration.ofDays(365);

    /** Checks. */
    public RestartSettings {
        Objects.requireNonNull(backoff, "backoff");
        if (maxRestarts < 0) {
            throw new IllegalArgumentException("maxRestarts must not be negative: maxRestarts=" + maxRestarts);
        }
        if (within.compareTo(Duration.ZERO) <= 0 || within.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("within must be more than 0, up to " + LONGEST + ": within=" + within);
        }
    }

    /**
     * Restarts without limit, on failure only. The back-off begins anew once there was no restart for ten times its
     * max, at least a minute.
     */
    public static RestartSettings of(Backoff backoff) {
        Duration calm = backoff.max().multipliedBy(10);
        Duration bounded = calm.compareTo(LONGEST) > 0 ? LONGEST : calm;
        Duration minute = Duration.ofMinutes(1);
        return new RestartSettings(backoff, UNLIMITED, bounded.compareTo(minute) < 0 ? minute : bounded, false);
    }

    /** The same with a limit. */
    public RestartSettings atMost(int restarts, Duration span) {
        return new RestartSettings(backoff, restarts, Objects.requireNonNull(span, "span"), onCompletion);
    }

    /** The same, after a normal end too. */
    public RestartSettings alsoOnCompletion() {
        return new RestartSettings(backoff, maxRestarts, within, true);
    }
}
