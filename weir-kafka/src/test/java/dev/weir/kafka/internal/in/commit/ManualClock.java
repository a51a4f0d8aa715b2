package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.lookup.OwnerClock;

/** A clock that advances only when a test sets it or a thread parks. */
public final class ManualClock implements OwnerClock {

    public long nanos;

    /** Runs at the beginning of each park. */
    Runnable whileParked = () -> {};

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public void park(long forNanos) {
        whileParked.run();
        nanos += forNanos;
    }
}
