package dev.weir.bench.measurement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.workload.Workload;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LiveResultTest {

    /** Members share partitions out, so each partition counts once. */
    @ParameterizedTest
    @CsvSource({"none, 5, 2400", "partition, 5, 800", "partition, 0, NaN"})
    void ceiling_isOfTheWholeGroup(String ordering, double handlerMillis, double perSecond) {
        Workload workload = Workload.parse("w.yaml", """
                name: w
                scenario: work
                drivers: [weir]
                baseline: weir
                topic: {partitions: 4, recordsPerSecond: 500}
                explore.members: 3
                options: {concurrency: 4, work.millis: 5, ordering: ORDER}
                """.replace("ORDER", ordering), false);
        assertThat(LiveResult.ceilingPerSecond(
                        new GroupSize(workload.points().getFirst(), false).handlers(), handlerMillis))
                .isEqualTo(Double.valueOf(perSecond));
    }
}
