package dev.weir.stream.internal.workers;

import dev.weir.stream.spi.StageMeter;

/**
 * Tells a parallel stage that idles because nobody takes its output from one that idles for want of input: measures the
 * time in which it is full and all inside is done. Guarded by the lock of its owner.
 */
public final class StallClock {

    private final StageMeter meter;
    private int threads;
    private boolean stalled;

    /** Creates a clock that does not run. A stall of a second counts one second for each of the threads. */
    public StallClock(StageMeter meter, int threads) {
        this.meter = meter;
        this.threads = threads;
    }

    /** Changes for how many threads the next stall counts. */
    public void threads(int now) {
        threads = now;
    }

    /** Notes a change of state. Reads the time only if the answer has changed. */
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
