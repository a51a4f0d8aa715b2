package dev.weir.kafka.internal.in.lookup;

import dev.weir.kafka.spi.Surroundings;

/** The clock of the owner thread. Thread-safe. */
public interface OwnerClock {

    /** The system clock. */
    OwnerClock SYSTEM = of(KafkaSurroundings.INSTANCE);

    /** The clock of the surroundings. */
    static OwnerClock of(Surroundings surroundings) {
        return new OwnerClock() {
            @Override
            public long nanoTime() {
                return surroundings.nanoTime();
            }

            @Override
            public void park(long nanos) {
                surroundings.park(nanos);
            }
        };
    }

    /** Nanoseconds from an arbitrary origin. */
    long nanoTime();

    /** Waits until the calling thread is unparked or the time is up, or returns early without a reason. */
    void park(long nanos);
}
