package dev.weir.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.driver.Command;
import dev.weir.driver.Report;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class WorkerClockTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    @Test
    void clockThatIsSetAmidAPass_isNoticed_andTheNextPassIsFreeOfIt() throws Exception {
        AtomicLong behindNanos = new AtomicLong(TimeUnit.HOURS.toNanos(1));
        AtomicLong offsetNanos = new AtomicLong();
        AtomicReference<WorkerClock> itself = new AtomicReference<>();
        try (WorkerClock clock = new WorkerClock("w", command -> {
            switch (command) {
                case Command.Clock asked -> {
                    long own = System.nanoTime() - behindNanos.get();
                    itself.get().heard(new Report.Clock(asked.askedNanos(), own), System.nanoTime());
                }
                case Command.SetClock told -> offsetNanos.set(told.offsetNanos());
                default -> throw new AssertionError(command);
            }
        })) {
            itself.set(clock);
            clock.start();
            assertThat(clock.awaitKnown(PATIENCE)).isTrue();
            clock.restart();
            assertThat(Math.abs(offsetNanos.get() - behindNanos.get())).isLessThanOrEqualTo(clock.errorNanos());
            assertThat(clock.wasSet()).isFalse();

            behindNanos.addAndGet(TimeUnit.SECONDS.toNanos(10));

            Awaitility.await().atMost(PATIENCE).until(clock::wasSet);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> Math.abs(offsetNanos.get() - behindNanos.get()) <= clock.errorNanos());
            clock.restart();
            assertThat(clock.wasSet()).isFalse();
            assertThat(clock.errorNanos()).isLessThan(TimeUnit.SECONDS.toNanos(10));
        }
    }
}
