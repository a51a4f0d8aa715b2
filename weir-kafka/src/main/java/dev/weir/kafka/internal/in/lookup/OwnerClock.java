package dev.weir.kafka.internal.in.lookup;

import dev.weir.kafka.spi.Surroundings;

/** Time as the owner thread sees it. Thread-safe. */
public interface OwnerClock {

    /** The system's time. */
    OwnerClock SYSTEM = of(KafkaSurroundings.INSTANCE);

    /** The time of surroundings. */
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

    /** Waits until the calling thread is unparked or the time is up, or for no reason less. */
    void park(long nanos);
}
