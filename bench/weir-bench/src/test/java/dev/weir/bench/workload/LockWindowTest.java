package dev.weir.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LockWindowTest {
    private static WorkloadPoint point(String rest) {
        return Workload.parse(
                        "w.yaml", "name: w\nscenario: work\ndrivers: [plain]\ntopic: {partitions: 6}\n" + rest, false)
                .points()
                .getFirst();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            options: {ordering: none}                                                           | 2000
            broker: {group.share.partition.max.record.locks: 3000}                              | 3000
            broker: {group.share.partition.max.record.locks: " 3000 "}                          | 3000
            {group: {share.partition.max.record.locks: 4000}, broker: {group.share.max.size: 9}} | 4000
            options: {share.locks: 500}                                                         | 500
            """)
    void locks_areTheGroups_elseTheBrokers(String rest, int locks) {
        String yaml =
                rest.startsWith("{") ? rest.substring(1, rest.length() - 1).replace("}, ", "}\n") : rest;
        assertThat(LockWindow.locks(point(yaml + "\n"))).isEqualTo(locks);
    }

    /**
     * The slowest of the 2,000 handlers in a window sets the ceiling. About every sixth window has a straggler of two
     * seconds.
     */
    @ParameterizedTest
    @CsvSource({"none, 2400000", "stragglers, 32700", "bimodal, 47500"})
    void ceiling_isByTheSlowestHandlerOfAWindow(String spread, double perSecond) {
        WorkloadPoint point = point("options: {work.millis: 5, ordering: none, work.spread: " + spread + "}\n");
        assertThat(LockWindow.ceilingPerSecond(point)).isCloseTo(perSecond, within(0.1 * perSecond));
    }

    @Test
    void figures_areOfGroupsThatHoldRecords() {
        Map<String, Double> metrics = new HashMap<>();
        WorkloadPoint point = point("options: {work.millis: 5, ordering: none}\n");
        LockWindow.put(point, metrics);
        assertThat(metrics).isEmpty();
        metrics.put(LockWindow.HELD, 1_900.0);
        LockWindow.put(point, metrics);
        assertThat(metrics).containsEntry(LockWindow.HELD_PERCENT, 95.0).containsKey(LockWindow.CEILING);
    }
}
