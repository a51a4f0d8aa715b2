package dev.weir.bench.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.bench.RunFailure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Orders to something of the test's, on a clock of the test. */
class OrdersTest {

    @TempDir
    Path results;

    private final List<Order> done = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private double millis;

    private final Orders.Target target = new Orders.Target() {
        @Override
        public @Nullable String objection(Order order) {
            return order instanceof Order.Drain ? "nothing drains here" : null;
        }

        @Override
        public Map<String, String> apply(Order order) {
            done.add(order);
            millis += 5;
            return Map.of("did", "it");
        }
    };

    private Orders orders(OrderDesk desk, TimelineEntry... planned) {
        return new Orders(desk, List.of(planned), () -> millis, (what, atMillis) -> notes.add(what));
    }

    private static TimelineEntry at(double millis, Order order) {
        return new TimelineEntry(millis, order, 0, Map.of());
    }

    @Test
    void plannedOrder_isDoneWhenItsTimeHasCome() throws Exception {
        try (OrderDesk desk = OrderDesk.open(results, "run")) {
            Orders orders =
                    orders(desk, at(100, new Order.Pause(1)), at(104, new Order.End()), at(900, new Order.End()));
            orders.take(target);
            assertThat(done).isEmpty();
            millis = 100;
            orders.take(target);
            assertThat(done).as("its time came meanwhile").containsExactly(new Order.Pause(1), new Order.End());
            assertThat(orders.timeline())
                    .extracting(TimelineEntry::atMillis, TimelineEntry::tookMillis)
                    .containsExactly(tuple(100.0, 5.0), tuple(105.0, 5.0));
            assertThat(notes).containsExactly("pause 0.001s: it", "end true: it");
        }
    }

    @Test
    void plannedOrderThatCannotBeDone_endsTheRun_andOneThatCameInIsRefused() throws Exception {
        try (OrderDesk desk = OrderDesk.open(results, "run")) {
            Orders planned = orders(desk, at(0, new Order.Drain()));
            assertThatThrownBy(() -> planned.take(target))
                    .isInstanceOf(RunFailure.class)
                    .hasMessageContaining("at 0.000s: nothing drains here");
            LiveFolder folder = LiveFolder.of(results);
            LiveFolder.write(folder.order("1"), new Order.Drain().fields());
            LiveFolder.write(folder.order("2"), new Order.Extend(1_000).fields());
            Orders orders = orders(desk);
            orders.take(target);
            assertThat(done).containsExactly(new Order.Extend(1_000));
            assertThat(LiveFolder.JSON
                            .readValue(folder.answer("1").toFile(), Answer.class)
                            .error())
                    .isEqualTo("nothing drains here");
            assertThat(LiveFolder.JSON
                            .readValue(folder.answer("2").toFile(), Answer.class)
                            .wasAccepted())
                    .isTrue();
            assertThat(orders.timeline()).hasSize(1);
        }
    }
}
