package dev.weir.kafka.internal.share.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.share.member.ShareConsumerTuner.Look;
import dev.weir.kafka.internal.share.member.SharePath.AcquireMode;
import dev.weir.kafka.internal.share.member.SharePath.Plan;
import org.junit.jupiter.api.Test;

class ShareConsumerTunerTest {

    private static final Plan SMALL = new Plan(2, 8, AcquireMode.RECORD_LIMIT);

    private static Look look(long settled, double starved, double idleFetch, double noDemand) {
        return new Look(1, settled, starved, idleFetch, noDemand, 0.003, 0.01, 30, 2_000, 6);
    }

    @Test
    void first_isSmall_whateverTheWorkers() {
        assertThat(ShareConsumerTuner.first(1, 16)).isEqualTo(new Plan(2, 1, AcquireMode.RECORD_LIMIT));
        assertThat(ShareConsumerTuner.first(10_000, 16).credits()).isEqualTo(32);
        assertThat(ShareConsumerTuner.first(60, 1).lanes()).isEqualTo(1);
    }

    @Test
    void nothingSettled_changesNothing() {
        assertThat(ShareConsumerTuner.next(SMALL, look(0, 1, 0, 0), 4, 16)).isEqualTo(SMALL);
    }

    @Test
    void starvedPipeline_growsByTwiceAtMost() {
        Plan next = ShareConsumerTuner.next(SMALL, look(1_000, 0.9, 0, 0), 4, 16);
        assertThat(next.credits()).isBetween(17, 2 * SMALL.credits() + next.lanes());
    }

    @Test
    void nothingToRead_doesNotGrow() {
        assertThat(ShareConsumerTuner.next(SMALL, look(1_000, 0.9, 0.9, 0), 4, 16)
                        .credits())
                .isEqualTo(SMALL.credits());
    }

    @Test
    void laneWithoutDemand_isTakenAway_oneAtATime() {
        Plan many = new Plan(8, 8, AcquireMode.RECORD_LIMIT);
        assertThat(ShareConsumerTuner.next(many, look(1_000, 0, 0, 0.8), 4, 16).lanes())
                .isEqualTo(7);
    }

    @Test
    void slowHandlers_areNotGivenMoreThanALockIsLong() {
        Look slow = new Look(1, 2, 0.9, 0, 0, 0.003, 8, 30, 2_000, 6);
        Plan plan = new Plan(2, 1, AcquireMode.RECORD_LIMIT);
        for (int i = 0; i < 20; i++) {
            plan = ShareConsumerTuner.next(plan, slow, 4, 16);
        }
        // Two a second, a quarter of 30 s: more would wait for longer than is safe.
        assertThat(plan.credits()).isLessThanOrEqualTo(16);
        assertThat(plan.mode()).isEqualTo(AcquireMode.RECORD_LIMIT);
    }

    @Test
    void quickHandlers_takeWholeBatches() {
        assertThat(ShareConsumerTuner.next(SMALL, look(12_000, 0, 0, 0), 4, 16).mode())
                .isEqualTo(AcquireMode.BATCH_OPTIMIZED);
    }

    @Test
    void window_isLeftToOthersByHalf() {
        Look few = new Look(1, 100_000, 0.9, 0, 0, 0.003, 0.5, 30, 100, 1);
        Plan plan = SMALL;
        for (int i = 0; i < 20; i++) {
            plan = ShareConsumerTuner.next(plan, few, 4, 16);
        }
        assertThat(plan.credits()).isLessThanOrEqualTo(50 + plan.lanes());
    }

    @Test
    void workThatBecomesSlow_isGivenLess_inSteps() {
        // 300 workers of 5 ms, which then take 5 s: 60 a second, so that 2,000 records would wait for longer than their
        // lock.
        Plan plan = new Plan(16, 125, AcquireMode.BATCH_OPTIMIZED);
        Look slow = new Look(0.5, 30, 0, 0, 0, 0.003, 12, 30, 2_000, 6);
        for (int i = 0; i < 20; i++) {
            Plan next = ShareConsumerTuner.next(plan, slow, 4, 16);
            assertThat(next.credits()).isGreaterThanOrEqualTo((int) (plan.credits() * 0.69));
            assertThat(next.mode()).isEqualTo(AcquireMode.RECORD_LIMIT);
            plan = next;
        }
        assertThat(plan.credits()).isBetween(300, 700);
        assertThat(ShareConsumerTuner.next(plan, slow, 4, 16)).isEqualTo(plan);
    }

    /** What is worked on is renewed: that a handler is longer than a quarter of the lock takes no work from anybody. */
    @Test
    void handlersLongerThanTheirLocks_leaveARecordForEachWorker() {
        Plan plan = new Plan(4, 5, AcquireMode.RECORD_LIMIT);
        Look starved = new Look(1, 1, 0.5, 0, 0, 0.003, 20, 30, 2_000, 6);
        for (int i = 0; i < 20; i++) {
            plan = ShareConsumerTuner.next(plan, starved, 20, 16);
        }
        assertThat(plan.credits()).isBetween(20, 20 + plan.lanes());
    }

    @Test
    void oneSlowLook_takesALittle_andTheNextGivesItBack() {
        Plan plan = new Plan(16, 125, AcquireMode.BATCH_OPTIMIZED);
        Plan less = ShareConsumerTuner.next(plan, new Look(0.5, 30, 0, 0, 0, 0.003, 0.03, 30, 2_000, 6), 4, 16);
        assertThat(less.credits()).isBetween(1_380, 1_999);
        Plan again = ShareConsumerTuner.next(less, new Look(0.5, 30_000, 0.3, 0, 0, 0.003, 0.03, 30, 2_000, 6), 4, 16);
        assertThat(again.credits()).isGreaterThan(less.credits());
        assertThat(again.mode()).isEqualTo(AcquireMode.BATCH_OPTIMIZED);
    }

    @Test
    void workThatIsNotThere_changesNeitherCreditsNorMode() {
        Plan plan = new Plan(4, 100, AcquireMode.BATCH_OPTIMIZED);
        assertThat(ShareConsumerTuner.next(plan, look(10, 0.95, 0.9, 0), 4, 16)).isEqualTo(plan);
    }
}
