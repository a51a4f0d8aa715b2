package dev.weir.driver;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What a handler does with a record, as the workload says: wait, burn CPU, or nothing. Immutable. */
public final class Work {
    /** How long a handler blocks, in milliseconds. */
    public static final String MILLIS = "work.millis";

    /** How many rounds of arithmetic a handler does; a round is about a nanosecond. */
    public static final String ROUNDS = "work.rounds";

    private final long nanos;
    private final int rounds;

    @SuppressWarnings("unused") // only written
    private static volatile boolean zero;

    private Work(long nanos, int rounds) {
        this.nanos = nanos;
        this.rounds = rounds;
    }

    /** The work of these options; none if they name none. */
    public static Work of(Map<String, String> options) {
        double millis = Double.parseDouble(options.getOrDefault(MILLIS, "0"));
        return new Work(
                (long) (millis * TimeUnit.MILLISECONDS.toNanos(1)),
                Integer.parseInt(options.getOrDefault(ROUNDS, "0")));
    }

    /** Does it. What comes of the arithmetic is looked at, so that no compiler can leave it out. */
    public void on(byte[] value) {
        if (nanos > 0) {
            long end = System.nanoTime() + nanos;
            for (long left = nanos; left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }
        // The shift keeps compilers from folding rounds into one, as they do with sums and products of constants.
        long mixed = Pass.number(value) + 1;
        for (int i = 0; i < rounds; i++) {
            mixed = (mixed ^ (mixed >>> 31)) * 6_364_136_223_846_793_005L;
        }
        if (mixed == 0) {
            zero = true; // Never, which no compiler knows.
        }
    }
}
