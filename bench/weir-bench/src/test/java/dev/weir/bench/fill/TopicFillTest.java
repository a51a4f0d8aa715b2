package dev.weir.bench.fill;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.BenchException;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopicFillTest {

    /** Regression: a broker that died while a topic was filled blocked the harness for hours. */
    @Test
    void recordThatIsNotWritten_endsTheFilling_soThatNotEachWaitsForNobody() {
        WorkloadPoint point = Workload.parse("w.yaml", "name: w\nscenario: consume\ndrivers: [plain]\n", false)
                .points()
                .getFirst();
        TopicFill fill = new TopicFill(
                "t", 0, point, FillPlan.of(point, 1_000_000), Values.of(point, null), List.of(), () -> false);
        Map<String, String> nobody = Map.of("bootstrap.servers", "127.0.0.1:1", "max.block.ms", "20");
        assertThatThrownBy(() -> fill.run(nobody, "unused"))
                .isInstanceOf(BenchException.class)
                .hasMessageStartingWith("topic t could not be filled: ");
    }
}
