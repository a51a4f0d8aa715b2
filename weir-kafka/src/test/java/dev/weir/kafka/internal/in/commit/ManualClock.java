package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.lookup.OwnerClock;

/** A clock moved by hand, and by the time for which threads park. */
final class ManualClock implements OwnerClock {

    long nanos;

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public void park(long forNanos) {
        nanos += forNanos;
    }
}
