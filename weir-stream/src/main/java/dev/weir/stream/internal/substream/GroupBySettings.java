package dev.weir.stream.internal.substream;

import java.time.Duration;
import java.util.function.Function;

/**
 * The settings of a {@code groupBy}. Immutable.
 *
 * @param maxSubstreams maximum number of groups at the same time, at least 1
 * @param idleNanos time without an element after which a group ends; 0 for never
 */
record GroupBySettings<T>(Function<? super T, ?> key, int maxSubstreams, long idleNanos) {

    private static final Duration LONGEST_IDLE = Duration.ofDays(36_500);

    GroupBySettings {
        if (maxSubstreams < 1) {
            throw new IllegalArgumentException("maxSubstreams must be at least 1: maxSubstreams=" + maxSubstreams);
        }
    }

    static <T> GroupBySettings<T> of(Function<? super T, ?> key, int maxSubstreams, Duration idleAfter) {
        if (idleAfter.isNegative()) {
            throw new IllegalArgumentException("idleAfter must not be negative: idleAfter=" + idleAfter);
        }
        Duration idle = idleAfter.compareTo(LONGEST_IDLE) < 0 ? idleAfter : LONGEST_IDLE;
        return new GroupBySettings<>(key, maxSubstreams, idle.toNanos());
    }

    boolean evicts() {
        return idleNanos > 0;
    }
}
