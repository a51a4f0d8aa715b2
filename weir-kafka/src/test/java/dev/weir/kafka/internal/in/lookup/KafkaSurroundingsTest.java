package dev.weir.kafka.internal.in.lookup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class KafkaSurroundingsTest {

    /** Regression: a loop with a deadline kept a processor busy on an interrupted thread. */
    @Test
    @Timeout(30)
    void park_onAnInterruptedThread_parks_andTheThreadStaysInterrupted() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicBoolean stayed = new AtomicBoolean();
        Thread parking = Thread.ofPlatform().start(() -> {
            Thread.currentThread().interrupt();
            while (!over.get()) {
                KafkaSurroundings.INSTANCE.park(TimeUnit.HOURS.toNanos(1));
            }
            stayed.set(Thread.currentThread().isInterrupted());
        });
        // The interrupt is held back while the thread is parked.
        while (parking.getState() != Thread.State.TIMED_WAITING || parking.isInterrupted()) {
            Thread.onSpinWait();
        }
        over.set(true);
        LockSupport.unpark(parking);
        parking.join();
        assertThat(stayed).isTrue();
    }
}
