package dev.weir.stream.internal.workers;

import dev.weir.stream.spi.StageMeter;

/**
 * Measures the time in which a parallel stage is full and all its elements are done, which distinguishes blocked output
 * from missing input. Guarded by the lock of its owner.
 */
public final class StallClock {

    private final StageMeter meter;
    private int threads;
    private boolean stalled;

    /** Creates a clock that does not run. A stall of one second counts one second per thread. */
    public StallClock(StageMeter meter, int threads) {
        this.meter = meter;
        this.threads = threads;
    }

    /** Sets the number of threads for which the next stall counts. */
    public void threads(int now) {
        threads = now;
    }

    /** Updates the state. Reads the clock only if it has changed. */
    public void update(boolean stalledNow) {
        if (stalledNow == stalled) {
            return;
        }
        stalled = stalledNow;
        if (stalledNow) {
            meter.beginBlockedDown(threads);
        } else {
            meter.endBlockedDown();
        }
    }
}
