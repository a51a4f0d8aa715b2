package dev.weir.stream.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RestProbeTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @Test
    void pipeline_thatHasDoneAllItCan_isAtRest() throws InterruptedException {
        SourceProbe<Integer> in = new SourceProbe<>();
        AtomicInteger handled = new AtomicInteger();
        try (RunningPipeline running = in.source()
                .mapBlocking(4, Ordering.unordered(), element -> {
                    handled.incrementAndGet();
                    return element;
                })
                .async()
                .to(Sink.ignore())
                .run()) {
            RestProbe probe = new RestProbe(running);
            for (int i = 1; i <= 500; i++) {
                in.emit(i);
                assertThat(probe.awaitRest(LONG)).isTrue();
                // Nobody else waits for it: whatever was emitted is through.
                assertThat(handled).hasValue(i);
                assertThat(in.unacknowledged()).isEmpty();
            }
            in.complete();
            running.await();
            assertThat(probe.awaitRest(LONG)).isTrue();
        }
    }

    @Test
    void pipeline_whoseHandlerIsBusy_isNotAtRest() throws InterruptedException {
        SourceProbe<Integer> in = new SourceProbe<>();
        AtomicBoolean busy = new AtomicBoolean(true);
        CountDownLatch begun = new CountDownLatch(1);
        try (RunningPipeline running = in.source()
                .map(element -> {
                    begun.countDown();
                    while (busy.get()) {
                        Thread.onSpinWait();
                    }
                    return element;
                })
                .to(Sink.ignore())
                .run()) {
            in.emit(1).complete();
            assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(new RestProbe(running).awaitRest(Duration.ofMillis(20))).isFalse();
            busy.set(false);
            running.await();
        }
    }

    @Test
    void clock_knowsTheNextDeadline() throws InterruptedException {
        VirtualClock clock = new VirtualClock();
        SourceProbe<Integer> in = new SourceProbe<>();
        try (RunningPipeline running = in.source()
                .groupedWithin(10, Duration.ofSeconds(3))
                .to(Sink.ignore())
                .on(clock)
                .run()) {
            RestProbe probe = new RestProbe(running);
            assertThat(probe.awaitRest(LONG)).isTrue();
            assertThat(clock.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
            in.emit(1);
            assertThat(probe.awaitRest(LONG)).isTrue();
            assertThat(clock.nextDeadlineNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(3));
            running.cancel();
        }
    }
}
