package dev.weir.bench.measurement;

import dev.weir.bench.result.Interval;

/**
 * Reckons with counts that may not have been taken: with {@link Interval#UNKNOWN},
 * what comes of it is not known. Stateless.
 */
final class OptionalCounts {

    private OptionalCounts() {}

    static long plus(long one, long other) {
        return isKnown(one, other) ? one + other : Interval.UNKNOWN;
    }

    static long minus(long later, long earlier) {
        return isKnown(later, earlier) ? later - earlier : Interval.UNKNOWN;
    }

    private static boolean isKnown(long one, long other) {
        return one != Interval.UNKNOWN && other != Interval.UNKNOWN;
    }
}
