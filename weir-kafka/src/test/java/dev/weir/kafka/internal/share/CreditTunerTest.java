package dev.weir.kafka.internal.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.share.LaneTuner.Look;
import dev.weir.kafka.internal.share.SharePath.AcquireMode;
import dev.weir.kafka.internal.share.SharePath.Plan;
import org.junit.jupiter.api.Test;

class CreditTunerTest {

    private static final int WORKERS = 60;
    private static final double ROUND_TRIP = 0.003;

    private static Look look(long settled, double starved, double idle) {
        return new Look(0.5, settled, starved, idle, 0, ROUND_TRIP, 0.02, 30, 2000, 6);
    }

    private static Plan next(Plan now, Look look) {
        return CreditTuner.next(now, look, WORKERS, ROUND_TRIP, 0);
    }

    @Test
    void starvedWorkers_growTheCredits_byTwoAtMost_untilATwentiethOfASecondWaits() {
        Plan plan = CreditTuner.first(WORKERS);
        assertThat(plan.credits()).isEqualTo(16);
        for (int i = 0; i < 10; i++) {
            Plan grown = next(plan, look(6_000, 0.3, 0));
            assertThat(grown.credits()).isBetween(plan.credits(), 2 * plan.credits());
            plan = grown;
        }
        double rate = 6_000 / 0.5 / (1 - 0.3);
        assertThat(plan.credits()).isBetween((int) (WORKERS + rate * 0.05), (int) (WORKERS + rate * 0.05) + 1);
    }

    @Test
    void slowRoundTrips_growThemByLittlesLaw() {
        Plan plan = new Plan(1, 2_000, AcquireMode.RECORD_LIMIT);
        double rate = 6_000 / 0.5 / (1 - 0.3);
        assertThat(CreditTuner.next(plan, look(6_000, 0.3, 0), WORKERS, 0.1, 0).credits())
                .isBetween((int) (WORKERS + 2 * rate * 0.1), 4_000);
    }

    @Test
    void busyWorkers_orNothingToRead_changeNothing() {
        Plan plan = new Plan(1, 100, AcquireMode.RECORD_LIMIT);
        assertThat(next(plan, look(6_000, 0, 0))).isEqualTo(plan);
        assertThat(next(plan, look(6_000, 0.9, 0.9))).isEqualTo(plan);
        assertThat(next(plan, look(0, 1, 1))).isEqualTo(plan);
    }

    @Test
    void handlersThatBecomeSlow_shrinkTheCredits() {
        Plan plan = new Plan(1, 500, AcquireMode.RECORD_LIMIT);
        assertThat(next(plan, look(60, 0, 0)).credits()).isLessThanOrEqualTo(WORKERS + 6);
    }

    @Test
    void wholeBatches_areAskedFor_onceTheyAreSmallBesideTheCredits() {
        Plan plan = new Plan(1, 100, AcquireMode.RECORD_LIMIT);
        assertThat(CreditTuner.next(plan, look(6_000, 0, 0), WORKERS, ROUND_TRIP, 10)
                        .mode())
                .isEqualTo(AcquireMode.BATCH_OPTIMIZED);
        assertThat(CreditTuner.next(plan, look(6_000, 0, 0), WORKERS, ROUND_TRIP, 500)
                        .mode())
                .isEqualTo(AcquireMode.RECORD_LIMIT);
    }
}
