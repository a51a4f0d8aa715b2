package dev.weir.bench.measurement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.workload.Workload;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.Scenario;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LiveResultTest {

    @ParameterizedTest
    @CsvSource({
        "AT_LEAST_ONCE, 0, 1, true, false",
        "AT_LEAST_ONCE, 1, 0, false, true",
        "AT_MOST_ONCE, 0, 0, true, false",
        "AT_MOST_ONCE, 0, 1, false, true",
        "AT_MOST_ONCE, 1, 0, false, false",
        "AT_MOST_ONCE, 1, 0, true, true"
    })
    void guarantee_isThatOfTheScenario(
            Scenario scenario, long missing, long again, boolean isUnchanged, boolean isBroken) {
        LedgerFigures ledger = new LedgerFigures(9, missing, 0, 0, 0, 0, again);
        assertThat(LiveResult.isBroken(scenario, ledger, isUnchanged)).isEqualTo(isBroken);
    }

    /** Members share the partitions, so each partition counts once. */
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
