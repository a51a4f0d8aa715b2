package dev.weir.stream.internal.grouping;

import dev.weir.stream.spi.Stage;
import java.time.Duration;

/** Arithmetic of a clock's times. Stateless. */
final class Deadlines {

    private static final Duration LONGEST = Duration.ofNanos(Stage.NEVER);

    private Deadlines() {}

    static long earlier(long oneNanos, long otherNanos) {
        if (oneNanos == Stage.NEVER || otherNanos == Stage.NEVER) {
            return Math.min(oneNanos, otherNanos);
        }
        return oneNanos - otherNanos < 0 ? oneNanos : otherNanos;
    }

    /** A duration in nanoseconds, {@link Stage#NEVER} if it has more than can be counted, 0 if it is negative. */
    static long nanos(Duration duration) {
        if (duration.isNegative()) {
            return 0;
        }
        return duration.compareTo(LONGEST) < 0 ? duration.toNanos() : Stage.NEVER;
    }

    /** The nanoseconds of a setting that must be more than nothing. */
    static long positiveNanos(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + " must be more than 0: " + name + "=" + duration);
        }
        return nanos(duration);
    }
}
