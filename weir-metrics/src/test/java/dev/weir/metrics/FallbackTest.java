package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.metrics.Limiter.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the finding if no rule applies: nothing is clearly at its limit. */
class FallbackTest {

    private final Scene scene = new Scene();

    private void lag(long records) {
        scene.consumers =
                look -> StubLooks.consumer(StubLooks.partition(0).lag(records).inFlight(0));
    }

    @Test
    void recordsThatWait_whileNoneMoves_areMeasured() {
        scene.stage("consume", 1).moves(0, 0);
        lag(1);
        assertThat(scene.find().sentence()).contains("none has gone through a stage");
        assertThat(scene.past().find().sentence()).contains("nothing was at its limit for most of this time");
    }

    /** Ten workers without waiting elements. */
    @ParameterizedTest
    @CsvSource({"5, 0, STAGE_CPU", "4, 0, ARRIVAL", "4, 9000, STAGE_CPU", "3, 9000, MEASURING", "3, 0, ARRIVAL"})
    void busiestUnit_isTheLimiterFromHalfOfItsThreadsOn_orTwoFifthsIfRecordsWait(int atWork, long lag, Kind expected) {
        scene.fused("consume", 0.2, false).idle(0.35, 0.45);
        scene.workers("idle", 10, 1, false, 0);
        scene.workers("price", 10, atWork, false, 0);
        lag(lag);
        Limiter limiter = scene.find();
        assertThat(limiter.kind()).as("%s", limiter).isEqualTo(expected);
        if (expected == Kind.STAGE_CPU) {
            assertThat(limiter.name()).isEqualTo("price");
        }
    }

    @Test
    void pipelineAtNoLimit_namesItsBusiestStage() {
        scene.stage("consume", 1).busy(0.1).idle(0.3, 0);
        scene.stage("price", 1).busy(0.3).idle(0.3, 0);
        assertThat(scene.find().name()).isEqualTo("price");
        assertThat(scene.find().sentence()).isEqualTo("nothing is at its limit: the busiest stage is price, 30 %");
        Limiter none = new Scene().find();
        assertThat(none.kind()).isEqualTo(Kind.ARRIVAL);
        assertThat(none.sentence()).isEqualTo("nothing is at its limit: there are no stages");
    }

    @Test
    void fullMachine_comesBeforeTheBusiestStage() {
        scene.stage("consume", 1).busy(0.6).idle(0.3, 0);
        lag(9_000);
        assertThat(scene.machine(0.6, 0.95).find().kind()).isEqualTo(Kind.MACHINE_CPU);
    }
}
