package dev.weir.kafka.internal.meters;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** The time that a source's fetch threads spend decoding record views. Thread-safe. */
public final class DecodeTime {

    /** For a source that decodes nothing while fetching. */
    public static final DecodeTime NONE = new DecodeTime(1);

    private final LongAdder nanos = new LongAdder();
    private final int threads;

    /**
     * Creates a measurement.
     *
     * @param threads the number of threads that may decode concurrently, at least 1
     */
    public DecodeTime(int threads) {
        this.threads = threads;
    }

    /** Returns the time spent so far, estimated from samples. */
    public long nanos() {
        return nanos.sum();
    }

    /** Returns the number of threads that may decode concurrently. */
    public int threads() {
        return threads;
    }

    /** Returns an object that measures the calls of one thread. */
    public Sampling sampling() {
        return new Sampling(nanos);
    }

    /**
     * Measures the calls of one thread. After a slow call, measures the next call. After a quick call, measures only
     * one call in {@value #QUICK_CALLS}.
     */
    public static final class Sampling {

        static final int QUICK_CALLS = 16;

        private static final long SLOW_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

        private final LongAdder nanos;

        private int calls = 1;

        private int left = 1;

        private Sampling(LongAdder nanos) {
            this.nanos = nanos;
        }

        /** Counts a call, and returns whether to measure it. */
        public boolean isDue() {
            return --left == 0;
        }

        /** Adds the time of a measured call. Returns that time multiplied by the number of calls it represents. */
        public long took(long nanosOfCall) {
            long all = nanosOfCall * calls;
            nanos.add(all);
            calls = nanosOfCall < SLOW_NANOS ? QUICK_CALLS : 1;
            left = calls;
            return all;
        }
    }
}
