package dev.weir.kafka.internal.meters;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** The time that the decoder of a source of views has taken, on all threads that fetch. Thread-safe. */
public final class DecodeTime {

    /** The time of a source that decodes nothing while it fetches. */
    public static final DecodeTime NONE = new DecodeTime(1);

    private final LongAdder nanos = new LongAdder();
    private final int threads;

    /** Time of that many threads, at least one. */
    public DecodeTime(int threads) {
        this.threads = threads;
    }

    /** The time so far, estimated from samples. */
    public long nanos() {
        return nanos.sum();
    }

    /** The threads that may decode at once. */
    public int threads() {
        return threads;
    }

    /** Begins to measure the calls of one thread. */
    public Sampling sampling() {
        return new Sampling(nanos);
    }

    /**
     * Measures every call that follows a slow one, and one in {@value #QUICK_CALLS} of the others: two readings of the
     * clock cost as much as a quick decoder. A measured call stands for those since the one before. Confined to one
     * thread.
     */
    public static final class Sampling {

        static final int QUICK_CALLS = 16;

        private static final long SLOW_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

        private final LongAdder nanos;

        /** Calls that the next measured one stands for. */
        private int calls = 1;

        private int left = 1;

        private Sampling(LongAdder nanos) {
            this.nanos = nanos;
        }

        /** Counts a call; returns whether it is to be measured. */
        public boolean isDue() {
            return --left == 0;
        }

        /** Takes the time of a call that was due; returns that of all calls for which it stands. */
        public long took(long nanosOfCall) {
            long all = nanosOfCall * calls;
            nanos.add(all);
            calls = nanosOfCall < SLOW_NANOS ? QUICK_CALLS : 1;
            left = calls;
            return all;
        }
    }
}
