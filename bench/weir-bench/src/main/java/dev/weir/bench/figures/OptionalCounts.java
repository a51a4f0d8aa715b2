package dev.weir.bench.figures;

import dev.weir.bench.result.Interval;

/**
 * Arithmetic on counts that may be unknown. If an operand is {@link Interval#UNKNOWN}, the result is too. Stateless.
 */
public final class OptionalCounts {

    private OptionalCounts() {}

    public static long plus(long one, long other) {
        return isKnown(one, other) ? one + other : Interval.UNKNOWN;
    }

    public static long minus(long later, long earlier) {
        return isKnown(later, earlier) ? later - earlier : Interval.UNKNOWN;
    }

    private static boolean isKnown(long one, long other) {
        return one != Interval.UNKNOWN && other != Interval.UNKNOWN;
    }
}
