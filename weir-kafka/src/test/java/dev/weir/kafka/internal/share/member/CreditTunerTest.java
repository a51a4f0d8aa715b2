package dev.weir.kafka.internal.share.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.share.member.CreditTuner.Look;
import dev.weir.kafka.internal.share.member.SharePath.AcquireMode;
import dev.weir.kafka.internal.share.member.SharePath.Plan;
import org.junit.jupiter.api.Test;

class CreditTunerTest {

    private static final int WORKERS = 60;
    private static final double ROUND_TRIP = 0.003;

    private static Look look(long settled, double starved, double idle) {
        return new Look(0.5, settled, starved, idle, ROUND_TRIP, 0.02, 30, 2000, 6);
    }

    private static Plan next(Plan now, Look look) {
        return CreditTuner.next(now, look, WORKERS, ROUND_TRIP, 0);
    }

    @Test
    void starvedWorkers_growTheCredits_byTwoAtMost_untilTwoLargeRequestsWait() {
        Plan plan = CreditTuner.first(WORKERS);
        assertThat(plan.credits()).isEqualTo(16);
        for (int i = 0; i < 10; i++) {
            Plan grown = next(plan, look(6_000, 0.3, 0));
            assertThat(grown.credits()).isBetween(plan.credits(), 2 * plan.credits());
            plan = grown;
        }
        assertThat(plan.credits()).isEqualTo(WORKERS + 1_200);
    }

    @Test
    void fewRecords_areKeptForATenthOfASecond_manyForATwentieth() {
        assertThat(grown(1_000)).isBetween(WORKERS + 100, WORKERS + 110);
        assertThat(grown(60_000)).isBetween(WORKERS + 3_000, WORKERS + 3_100);
    }

    /** Returns the credits after several steps with the given number of records per second. */
    private static int grown(int rate) {
        Plan plan = CreditTuner.first(WORKERS);
        for (int i = 0; i < 10; i++) {
            plan = next(plan, look(rate / 2, 0.02, 0));
        }
        return plan.credits();
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
        assertThat(next(plan, look(60, 0, 0)).credits()).isLessThanOrEqualTo(WORKERS + 12);
    }

    @Test
    void credits_areNoMoreThanIsDoneInAQuarterOfALock() {
        assertThat(starved(new Look(1, 100, 0.9, 0, ROUND_TRIP, 0.04, 0.4, 2_000, 6), 4))
                .isEqualTo(10);
    }

    /** Given handlers slower than their locks, each worker still gets a record. Its lock is renewed. */
    @Test
    void handlersLongerThanTheirLocks_leaveARecordForEachWorker() {
        assertThat(starved(new Look(1, 1, 0.5, 0, ROUND_TRIP, 20, 30, 2_000, 6), 20))
                .isEqualTo(20);
    }

    @Test
    void window_isLeftToOthersByHalf() {
        assertThat(starved(new Look(1, 100_000, 0.9, 0, ROUND_TRIP, 0.5, 30, 100, 1), 4))
                .isEqualTo(50);
    }

    /** Returns the credits after workers have waited for records for a long time. */
    private static int starved(Look look, int workers) {
        Plan plan = CreditTuner.first(workers);
        for (int i = 0; i < 20; i++) {
            plan = CreditTuner.next(plan, look, workers, ROUND_TRIP, 0);
        }
        return plan.credits();
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

    /** At 400 records/s, 100 credits are wanted: 60 for the workers, and 40 for a tenth of a second. */
    @Test
    void credits_shrinkOnce_theyAreHalfAsManyAgainAsWanted() {
        assertThat(next(new Plan(1, 150, AcquireMode.RECORD_LIMIT), look(200, 0, 0))
                        .credits())
                .isEqualTo(150);
        assertThat(next(new Plan(1, 151, AcquireMode.RECORD_LIMIT), look(200, 0, 0))
                        .credits())
                .isEqualTo(100);
    }

    /** Starving workers would do more than 400 records/s. */
    @Test
    void workers_starve_fromOneHundredthOfTheTimeOn_whileMostFetchesFindRecords() {
        Plan plan = new Plan(1, 90, AcquireMode.RECORD_LIMIT);
        assertThat(next(plan, look(200, 0.01, 0.5)).credits()).isEqualTo(101);
        assertThat(next(plan, look(200, 0.009, 0.5)).credits()).isEqualTo(90);
        assertThat(next(plan, look(200, 0.01, 0.51)).credits()).isEqualTo(90);
        // At most twice the rate is assumed.
        assertThat(next(new Plan(1, 139, AcquireMode.RECORD_LIMIT), look(200, 0.9, 0))
                        .credits())
                .isEqualTo(140);
    }

    @Test
    void wholeBatches_areAskedFor_ifFourOfThemAreFewerThanTheCredits() {
        Plan plan = new Plan(1, 100, AcquireMode.RECORD_LIMIT);
        for (double batchRecords : new double[] {25, 24.9, 0}) {
            assertThat(CreditTuner.next(plan, look(200, 0, 0), WORKERS, ROUND_TRIP, batchRecords)
                            .mode())
                    .isEqualTo(batchRecords == 24.9 ? AcquireMode.BATCH_OPTIMIZED : AcquireMode.RECORD_LIMIT);
        }
    }

    @Test
    void credits_areAtLeastTwo_andFewerThanSixteenAtFirst() {
        assertThat(starved(new Look(1, 100_000, 0.9, 0, ROUND_TRIP, 0.5, 30, 2, 0), 4))
                .isEqualTo(2);
        assertThat(CreditTuner.first(4).credits()).isEqualTo(4);
        assertThat(CreditTuner.first(17).credits()).isEqualTo(16);
    }
}
