package dev.weir.kafka.internal.in.lookup;

import dev.weir.kafka.spi.Surroundings;

/** The clock of the owner thread. Thread-safe. */
public interface OwnerClock {

    OwnerClock SYSTEM = of(KafkaSurroundings.INSTANCE);

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

    /** Returns nanoseconds since an arbitrary origin. */
    long nanoTime();

    /** Waits until the calling thread is unparked or {@code nanos} have passed. May return early. */
    void park(long nanos);
}
