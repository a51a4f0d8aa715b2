package dev.weir.stream.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Source;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs the examples of {@code docs/guide/testing.md}. */
class TestingPageTest {

    private record Order(boolean isPaid) {}

    private final Order paid = new Order(true);
    private final Order unpaid = new Order(false);
    private final Order first = paid;

    private static Source<List<Order>> bundled(Source<Order> orders) {
        return orders.filter(Order::isPaid).groupedWithin(500, Duration.ofSeconds(1));
    }

    @Test
    void unpaidOrders_areLeftOut() throws InterruptedException {
        SourceProbe<Order> in = new SourceProbe<>();
        SinkProbe<List<Order>> out = new SinkProbe<>();
        try (RunningPipeline running = bundled(in.source()).to(out.sink()).run()) {
            in.emit(unpaid, paid).complete(); // one batch of two elements, then the end
            assertThat(out.expectNext()).containsExactly(paid);
            out.expectEnd();
            assertThat(in.unacknowledged()).isEmpty(); // the unpaid one was acknowledged by filter
            running.await();
        }
    }

    @Test
    void bundle_isSentAfterASecond() throws InterruptedException {
        SourceProbe<Order> in = new SourceProbe<>();
        VirtualClock clock = new VirtualClock();
        SinkProbe<List<Order>> out = new SinkProbe<List<Order>>().requestAll();
        try (RunningPipeline running =
                bundled(in.source()).to(out.sink()).on(clock).run()) {
            in.emit(first).awaitPull(); // 1
            clock.advance(Duration.ofMillis(999)); // 2
            out.expectNothing(); // 3
            clock.advance(Duration.ofMillis(1));
            assertThat(out.expectNext()).containsExactly(first);
            in.awaitPull(); // before the next advance
            running.cancel();
        }
    }
}
