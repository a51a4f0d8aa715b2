package dev.weir.bench.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunOrderTest {
    private static final List<WorkloadPoint> POINTS = Workload.parse(
                    "w.yaml",
                    "name: small\nscenario: consume\ndrivers: [plain]\nvary: [{topic.partitions: [1, 6, 24]}]\n",
                    false)
            .points();

    /** Regression: with four or eight drivers, the same driver came last in every round. */
    @ParameterizedTest
    @ValueSource(longs = {7, 42, 123_456_789_012L})
    void drivers_standAtEachPlace_aboutAsOftenAsAtOthers(long seed) {
        List<String> drivers = List.of("a", "b", "c", "d");
        List<RunOrder.Step> steps = RunOrder.of(POINTS.subList(0, 1), drivers, 100, seed);
        for (int place = 0; place < 4; place++) {
            for (String driver : drivers) {
                int times = 0;
                for (int i = place; i < steps.size(); i += 4) {
                    times += steps.get(i).driver().equals(driver) ? 1 : 0;
                }
                assertThat(times).as("%s at %d of 100 rounds", driver, place).isBetween(10, 42);
            }
        }
    }

    @Test
    void round_hasEachRunOnce_beforeTheNextRound() {
        List<RunOrder.Step> steps = RunOrder.of(POINTS, List.of("a", "b"), 3, 5);
        assertThat(steps).hasSize(18).doesNotHaveDuplicates();
        assertThat(steps.subList(6, 12)).extracting(RunOrder.Step::round).containsOnly(1);
        assertThat(steps).isEqualTo(RunOrder.of(POINTS, List.of("a", "b"), 3, 5));
    }
}
