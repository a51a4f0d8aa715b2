package dev.weir.stream.internal.workers;

import dev.weir.stream.spi.StageMeter;

/**
 * Measures the time during which a parallel stage is full of finished elements. The output then blocks the stage.
 * Guarded by the stage's lock.
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

    /** Sets the number of threads for the next stall. */
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
