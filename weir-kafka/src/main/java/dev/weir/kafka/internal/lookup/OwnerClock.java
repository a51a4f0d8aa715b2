package dev.weir.kafka.internal.lookup;

import java.util.concurrent.locks.LockSupport;

/** Time as the owner thread sees it; a simulation has its own. Thread-safe. */
public interface OwnerClock {

    OwnerClock SYSTEM = new OwnerClock() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void park(long nanos) {
            LockSupport.parkNanos(this, nanos);
        }
    };

    long nanoTime();

    /** Waits until the calling thread is unparked or the time is up, or for no reason less. */
    void park(long nanos);
}
