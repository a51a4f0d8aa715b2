package dev.weir.cli.pipe;

import dev.weir.stream.Handler;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/** Durations and end times of handlers, for a pipe's throughput ceiling. Thread-safe. */
final class HandlerTimes {

    /** Number of seconds with counts. */
    private static final int SECONDS = 3600;

    /** A pipe runs at full speed if it reaches at least this fraction of its throughput ceiling. */
    private static final double UP_TO_SPEED = 0.98;

    private final long startNanos = System.nanoTime();
    private final LongAdder calls = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final AtomicLongArray perSecond = new AtomicLongArray(SECONDS);
    private final AtomicLong firstNanos = new AtomicLong(Long.MAX_VALUE);
    private final AtomicLong lastNanos = new AtomicLong();

    <T, R> Handler<T, R> timed(Handler<T, R> handler) {
        return element -> {
            long begun = System.nanoTime();
            firstNanos.accumulateAndGet(begun - startNanos, Math::min);
            try {
                return handler.handle(element);
            } finally {
                ended(begun);
            }
        };
    }

    private void ended(long begun) {
        long now = System.nanoTime();
        calls.increment();
        nanos.add(now - begun);
        lastNanos.accumulateAndGet(now - startNanos, Math::max);
        long second = TimeUnit.NANOSECONDS.toSeconds(now - startNanos);
        if (second < SECONDS) {
            long ignored = perSecond.incrementAndGet((int) second);
        }
    }

    boolean isEmpty() {
        return calls.sum() == 0;
    }

    double meanMillis() {
        return nanos.sum() / 1e6 / Math.max(1, calls.sum());
    }

    /** Number of records per second that the workers could finish if they never waited for records. */
    double ceilingPerSecond(int workers) {
        return workers * 1000.0 / meanMillis();
    }

    /** Fraction of the throughput ceiling reached between the start of the first call and the end of the last call. */
    double efficiency(int workers) {
        double seconds = (lastNanos.get() - firstNanos.get()) / 1e9;
        return calls.sum() / seconds / ceilingPerSecond(workers);
    }

    /** First second, from 1, in which the pipe reached 98 % of the ceiling; -1 if there was none. */
    int secondsToSpeed(int workers) {
        double wanted = UP_TO_SPEED * ceilingPerSecond(workers);
        for (int second = 0; second < SECONDS; second++) {
            if (perSecond.get(second) >= wanted) {
                return second + 1;
            }
        }
        return -1;
    }
}
