package dev.weir.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DemoPlanTest {

    @Test
    void nothingTyped_isTheDefaultNumberUnpaced() {
        DemoPlan plan = DemoPlan.of(null, null, null, 42);
        assertThat(plan.records()).isEqualTo(DemoPlan.DEFAULT_RECORDS);
        assertThat(plan.limitNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(plan.isPaced()).isFalse();
        assertThat(plan).hasToString("300,000 events, as fast as they are translated, seed 42");
    }

    @Test
    void secondsAlone_areTheOnlyLimit() {
        DemoPlan plan = DemoPlan.of(null, 60, null, 1);
        assertThat(plan.records()).isEqualTo(DemoPlan.MAX_RECORDS);
        assertThat(plan.limitNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(60));
    }

    @Test
    void rate_plansEachEventAndDoesNotDrift() {
        DemoPlan plan = DemoPlan.of(null, 60, 3, 1);
        assertThat(plan.plannedNanos(0)).isZero();
        assertThat(plan.plannedNanos(1)).isEqualTo(333_333_333);
        assertThat(plan.plannedNanos(3_000_000)).isEqualTo(TimeUnit.SECONDS.toNanos(1_000_000));
        assertThat(plan).hasToString("events for 60 s, 3 a second, seed 1");
    }
}
