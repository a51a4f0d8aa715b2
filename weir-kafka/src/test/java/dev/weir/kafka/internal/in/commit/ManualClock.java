package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.lookup.OwnerClock;

/** A clock moved by hand, and by the time for which threads park. */
final class ManualClock implements OwnerClock {

    long nanos;

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
