package dev.weir.cli.tune;

import java.util.concurrent.TimeUnit;

/**
 * Says how often a version has to run before it is measured: until its rate no longer rises, or it ran long enough for
 * the JIT compiler. Confined to one thread.
 */
final class WarmUp {
    /** Two passes of warm code differ by as much. */
    private static final double RISES = 1.03;

    /** One pass that is no quicker may have had bad luck. */
    private static final int QUIET_PASSES = 2;

    private static final int MOST_PASSES = 8;

    private static final long ENOUGH_NANOS = TimeUnit.SECONDS.toNanos(12);

    private int passes;
    private int quietPasses;
    private long nanos;
    private double best;

    boolean isOver() {
        return quietPasses >= QUIET_PASSES || passes >= MOST_PASSES || nanos >= ENOUGH_NANOS;
    }

    /** Counts a pass in. */
    void add(double recordsPerSecond, long passNanos) {
        quietPasses = passes > 0 && recordsPerSecond < RISES * best ? quietPasses + 1 : 0;
        best = Math.max(best, recordsPerSecond);
        nanos += passNanos;
        passes++;
    }
}
