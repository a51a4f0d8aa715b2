package dev.weir.bench.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FaultTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            join        | 2                  | JOIN        | 2 | 0   | 0
            leave       | 1                  | LEAVE       | 1 | 0   | 0
            rebalance   | true               | REBALANCE   | 0 | 0   | 0
            kill        | 3                  | KILL        | 3 | 0   | 0
            freeze      | 1 for 12s          | FREEZE      | 1 | 0   | 12000
            cut         | 2 for 500ms        | CUT         | 2 | 0   | 500
            silence     | 1 for 5s           | SILENCE     | 1 | 0   | 5000
            delay       | 200ms for 5s       | DELAY       | 0 | 200 | 5000
            delay       | 1.5ms for 2.25s    | DELAY       | 0 | 1.5 | 2250
            lose-broker | 2 for 10s          | LOSE_BROKER | 2 | 0   | 10000
            fill-disk   | 3 for 5s           | FILL_DISK   | 3 | 0   | 5000
            slow-disk   | 1 by 50ms for 10s  | SLOW_DISK   | 1 | 50  | 10000
            backlog     | 10s                | BACKLOG     | 0 | 0   | 10000
            """)
    void fault_isReadFromItsText_andWrittenSoThatItIsReadAgain(
            String label, String text, Fault.Kind kind, int count, double by, double lasting) {
        Order order = Order.of(Map.of(label, text));
        assertThat(order).isEqualTo(new Fault(kind, count, by, lasting));
        assertThat(Order.of(order.fields())).isEqualTo(order);
        assertThat(order.isDisturbance()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            kill        | none         | kill must be a number, such as 1: kill=none
            kill        | 0            | kill must be from 1 to 1000: kill=0
            rebalance   | 5            | rebalance must be true: rebalance=5
            slow-disk   | 1 for 5s     | slow-disk must be a number and two times, such as 1 by 50ms for 10s: slow-disk=1 for 5s
            fill-disk   | 5s           | fill-disk must be a number and a time, such as 1 for 10s: fill-disk=5s
            freeze      | 12s          | freeze must be a number and a time, such as 1 for 10s: freeze=12s
            freeze      | 1 for 12     | freeze must be a time such as
            freeze      | 1 for 0s     | freeze must be from 0.001s to 600.000s
            delay       | 200ms        | delay must be two times, such as 200ms for 10s: delay=200ms
            delay       | 2h for 5s    | delay must be from 0.001s to 60.000s
            backlog     | 5            | backlog must be a time such as
            """)
    void wrongValue_isRefused_withItsForm(String label, String text, String message) {
        assertThatThrownBy(() -> Order.of(Map.of(label, text)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void plan_comesInTurn_atEvenDistances() {
        List<Order> of = List.of(Order.of(Map.of("kill", "1")), Order.of(Map.of("join", "1")));
        List<TimelineEntry> entries = FaultPlan.entries(Map.of("from", "20s", "every", "30s", "times", "3"), of);
        assertThat(entries).extracting(TimelineEntry::atMillis).containsExactly(20e3, 50e3, 80e3);
        assertThat(entries).extracting(TimelineEntry::order).containsExactly(of.get(0), of.get(1), of.get(0));
        assertThat(FaultPlan.entries(Map.of("from", "0s", "every", "1s"), of)).hasSize(2);
    }

    @Test
    void seed_drawsTheOrderOfEachTurn_alwaysTheSame() {
        List<Order> of = List.of(
                new Order.Pause(1), new Order.Pause(2), new Order.Pause(3), new Order.Pause(4), new Order.Pause(5));
        Map<String, String> drawn = Map.of("from", "1s", "every", "1s", "times", "15", "seed", "7");
        List<TimelineEntry> entries = FaultPlan.entries(drawn, of);
        assertThat(FaultPlan.entries(drawn, of)).isEqualTo(entries);
        for (int turn = 0; turn < 3; turn++) {
            assertThat(entries.subList(5 * turn, 5 * turn + 5))
                    .extracting(TimelineEntry::order)
                    .containsExactlyInAnyOrderElementsOf(of);
        }
    }

    @Test
    void plan_goesBetweenTheEntriesOfATimeline() {
        TimelineEntry first = new TimelineEntry(1_000, new Order.Drain(), 0, Map.of());
        TimelineEntry last = new TimelineEntry(9_000, new Order.End(), 0, Map.of());
        TimelineEntry planned = new TimelineEntry(5_000, new Order.Pause(1), 0, Map.of());
        assertThat(FaultPlan.merged(List.of(first, last), List.of(planned))).containsExactly(first, planned, last);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            every=1s           | faults needs from, a time such as 30s
            from=1s            | faults needs every, a time such as 30s
            from=1s,every=0s   | every must be from 1.000s
            from=1s,every=2s,times=many | times of faults must be a whole number from 0 to 1000: times=many
            from=1s,every=2s,until=3s | there is no key until of faults: there are from, every, times, seed, of
            """)
    void wrongPlan_isRefused(String fields, String message) {
        Map<String, String> map = new HashMap<>();
        for (String each : fields.split(",", -1)) {
            map.put(each.split("=", 2)[0], each.split("=", 2)[1]);
        }
        assertThatThrownBy(() -> FaultPlan.entries(map, List.of(new Order.Drain())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
