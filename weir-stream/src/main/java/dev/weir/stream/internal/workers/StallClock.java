package dev.weir.stream.internal.workers;

import dev.weir.stream.spi.StageMeter;

/**
 * Measures the time during which a parallel stage is full of elements that are all done. During this time the stage is
 * blocked by its output rather than waiting for input. Guarded by the stage's lock.
 */
public final class StallClock {

    private final StageMeter meter;
    private int threads;
    private boolean stalled;

    /** Creates a clock that is not running. The duration of a stall is multiplied by the number of threads. */
    public StallClock(StageMeter meter, int threads) {
        this.meter = meter;
        this.threads = threads;
    }

    /** Sets the number of threads. The duration of the next stall is multiplied by this number. */
    public void threads(int now) {
        threads = now;
    }

    /** Updates the state. Reads the system clock only if the state has changed. */
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
