package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class DrainDeadlineTest {

    /** Regression: drain threw a CancellationException instead of returning a report. */
    @Test
    void drain_pastItsDeadline_cancelsAndReports() throws Exception {
        CountDownLatch atWork = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        try (RunningPipeline running = Source.from(List.of(1))
                .mapBlocking(1, Ordering.<Integer>unordered(), element -> {
                    atWork.countDown();
                    never.await();
                    return element;
                })
                .to(Sink.ignore())
                .run()) {
            atWork.await();
            assertThat(running.drain(Duration.ofMillis(50)).drained()).isFalse();
            assertThat(running.drain(Duration.ZERO).drained()).isFalse();
        }
    }
}
