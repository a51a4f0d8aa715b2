package dev.weir.bench.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.bench.RunFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the execution of commands that change a run, with a simulated target and a test clock. */
class OrdersTest {

    @TempDir
    Path results;

    private final List<Order> done = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private double millis;
    private double endMillis = Double.POSITIVE_INFINITY;

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

        @Override
        public double endMillis() {
            return endMillis;
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
            orders.end();
            assertThat(notes).containsExactly("pause 0.001s: it", "end true: it", "ended before end true at 0.900s");
        }
    }

    @Test
    void orderThatComesWhenItIsOver_waits() throws Exception {
        try (OrderDesk desk = OrderDesk.open(results, "run")) {
            LiveFolder folder = LiveFolder.of(results);
            LiveFolder.write(folder.order("1"), new Order.Extend(1_000).fields());
            Orders orders = orders(desk, at(101, new Order.End()));
            endMillis = 100;
            millis = 100;
            orders.take(target);
            millis = 200;
            orders.take(target);
            assertThat(done).isEmpty();
            assertThat(folder.waiting()).containsExactly("1");
        }
    }

    @Test
    void folderThatCannotBeRead_isToldOnce_andPlannedOrdersAreDone() throws Exception {
        try (OrderDesk desk = OrderDesk.open(results, "run")) {
            LiveFolder folder = LiveFolder.of(results);
            folder.delete();
            Files.writeString(folder.path(), "no folder");
            Orders orders = orders(desk, at(100, new Order.End()));
            orders.take(target);
            millis = 100;
            orders.take(target);
            assertThat(done).containsExactly(new Order.End());
            assertThat(notes).hasSize(2).first().asString().startsWith("takes no more orders: ");
            Files.delete(folder.path());
        }
    }

    @Test
    void runThatTakesNoOrders_saysWhy() throws Exception {
        try (OrderDesk desk = OrderDesk.refusing(results, "run", "it has a plan of its own")) {
            assertThat(OrderSender.changeable(results)).contains(results);
            Answer answer = Objects.requireNonNull(OrderSender.to(results)).send(new Order.Drain());
            assertThat(Objects.requireNonNull(answer).error()).isEqualTo("it has a plan of its own");
            assertThat(answer.wasAccepted()).isFalse();
            assertThat(desk.next()).isNull();
        }
        assertThat(OrderSender.to(results)).isNull();
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
