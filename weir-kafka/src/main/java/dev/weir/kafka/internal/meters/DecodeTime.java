package dev.weir.kafka.internal.meters;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** The time spent by a source's view decoder, on all fetch threads. Thread-safe. */
public final class DecodeTime {

    /** For a source that decodes nothing while fetching. */
    public static final DecodeTime NONE = new DecodeTime(1);

    private final LongAdder nanos = new LongAdder();
    private final int threads;

    /** Creates a measurement for that many threads, at least one. */
    public DecodeTime(int threads) {
        this.threads = threads;
    }

    /** The time so far, estimated from samples. */
    public long nanos() {
        return nanos.sum();
    }

    /** The number of threads that may decode at once. */
    public int threads() {
        return threads;
    }

    /** Starts to measure the calls of one thread. */
    public Sampling sampling() {
        return new Sampling(nanos);
    }

    /**
     * Measures every call after a slow one, and one in {@value #QUICK_CALLS} of the others, because two clock readings
     * cost as much as a quick decoder. A measured call also represents the unmeasured ones before it. Confined to one
     * thread.
     */
    public static final class Sampling {

        static final int QUICK_CALLS = 16;

        private static final long SLOW_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

        private final LongAdder nanos;

        /** The number of calls that the next measured one represents. */
        private int calls = 1;

        private int left = 1;

        private Sampling(LongAdder nanos) {
            this.nanos = nanos;
        }

        /** Counts a call; returns whether to measure it. */
        public boolean isDue() {
            return --left == 0;
        }

        /** Takes the time of a measured call; returns the estimate for all calls that it represents. */
        public long took(long nanosOfCall) {
            long all = nanosOfCall * calls;
            nanos.add(all);
            calls = nanosOfCall < SLOW_NANOS ? QUICK_CALLS : 1;
            left = calls;
            return all;
        }
    }
}
