package dev.weir.kafka.internal.share.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ShareHandle.Limit;
import dev.weir.kafka.internal.share.member.CreditTuner.Look;
import dev.weir.kafka.internal.share.member.ShareLimits.Surroundings;
import dev.weir.kafka.internal.share.member.SharePath.AcquireMode;
import dev.weir.kafka.internal.share.member.SharePath.Plan;
import org.junit.jupiter.api.Test;

class ShareLimitsTest {

    private static final Plan PLAN = new Plan(8, 10, AcquireMode.RECORD_LIMIT);

    private static Look look(double starved, double idleFetch, double roundTrip, double round) {
        return new Look(1, 1_000, starved, idleFetch, roundTrip, round, 30, 2_000, 2);
    }

    private static Limit limit(Look look, Surroundings around) {
        return ShareLimits.of(look, around, PLAN, false);
    }

    @Test
    void workers_allBusy_areTheLimit() {
        Limit limit = limit(look(0, 0, 0.003, 0.02), new Surroundings(60, 60, 100, 0, 5_000, 0.003, 0.5));
        assertThat(limit.kind()).isEqualTo("share-workers");
        assertThat(limit.name()).isEqualTo("60 workers");
    }

    @Test
    void window_fullWhileWorkersWait_isTheLimit_withTheLocksThatWouldLiftIt() {
        Limit limit = limit(look(0.6, 0, 0.003, 0.02), new Surroundings(60, 24, 1_950, 0.6, 5_000, 0.003, 0.5));
        assertThat(limit.kind()).isEqualTo("share-window");
        assertThat(limit.advice())
                .startsWith("share.partition.max.record.locks of 3000 for the group ")
                .endsWith(", or 3 partitions");
        Limit slower = limit(look(0.6, 0, 0.003, 0.02), new Surroundings(60, 24, 1_950, 0.6, 5_000, 0.003, 3.997));
        // At 1,250 records/s, the partition's window must hold the records of 4 s.
        assertThat(slower.advice())
                .startsWith("share.partition.max.record.locks of 5000 for the group ")
                .endsWith(", or 5 partitions");
        assertThat(limit.expectedGain()).isEqualTo(2.5);
        // The pipeline also holds records that are being acknowledged.
        Limit handedOn = limit(look(0.99, 0, 0.003, 0.02), new Surroundings(60, 90, 2_100, 1, 5_000, 0.003, 0.25));
        assertThat(handedOn.kind()).isEqualTo("share-window");
    }

    @Test
    void window_fullWhileWorkersAreBusy_isNoLimit() {
        assertThat(limit(look(0.1, 0, 0.003, 0.02), new Surroundings(60, 60, 1_950, 1, 5_000, 0.003, 0.1))
                        .kind())
                .isEqualTo("share-workers");
    }

    @Test
    void nothingToRead_isTheArrival() {
        assertThat(limit(look(0.9, 0.9, 0.003, 0.02), new Surroundings(60, 1, 1, 0, 0, 0.003, 0.5))
                        .kind())
                .isEqualTo("arrival");
    }

    @Test
    void workersThatWait_whileLanesWork_lackCredits() {
        Look look = look(0.5, 0, 0.003, 0.02);
        Surroundings around = new Surroundings(60, 10, 100, 0, 5_000, 0.003, 0.5);
        assertThat(limit(look, around).kind()).isEqualTo("share-credits");
        assertThat(limit(look, around).advice()).startsWith("fetch(FetchPath.LEAN)");
        assertThat(limit(look, around).expectedGain()).isEqualTo(2);
        assertThat(ShareLimits.of(look, around, PLAN, true).advice()).startsWith("nothing");
        assertThat(ShareLimits.of(look, around, PLAN, true).expectedGain()).isEqualTo(1);
    }

    @Test
    void lanesThatWaitForFetches_atFewerPartitions_waitForTheFetchLock() {
        assertThat(limit(look(0.5, 0, 0.05, 0.02), new Surroundings(60, 10, 100, 0, 5_000, 0.003, 0.5))
                        .kind())
                .isEqualTo("share-fetch-lock");
    }

    @Test
    void acknowledgementsThatTakeLongerThanTheWork_waitForTheState() {
        assertThat(limit(look(0.5, 0, 0.2, 0.02), new Surroundings(60, 10, 100, 0, 5_000, 0.3, 0.5))
                        .kind())
                .isEqualTo("share-state");
    }

    private static String kind(Look look, double inHand, double fullShare, long lag, double acknowledgementSeconds) {
        return limit(look, new Surroundings(60, inHand, 100, fullShare, lag, acknowledgementSeconds, 0.5))
                .kind();
    }

    /** Each line is just at a border, or just beyond it. */
    @Test
    void bordersBetweenLimits_areWhereTheirNamesSay() {
        assertThat(ShareLimits.isFull(1_800, 2_000)).isTrue();
        assertThat(ShareLimits.isFull(1_799, 2_000)).isFalse();
        // The window of locks
        assertThat(kind(look(0.5, 0, 0.003, 0.02), 10, 0.5, 9, 0)).isEqualTo("share-window");
        assertThat(kind(look(0.49, 0, 0.003, 0.02), 10, 0.5, 9, 0)).isEqualTo("share-credits");
        assertThat(kind(look(0.5, 0, 0.003, 0.02), 10, 0.49, 9, 0)).isEqualTo("share-credits");
        // Nothing to read
        assertThat(kind(look(0.5, 0, 0.003, 0.02), 10, 0, 0, 0)).isEqualTo("arrival");
        assertThat(kind(look(0.5, 0, 0.003, 0.02), 10, 0, -1, 0))
                .as("unknown lag")
                .isEqualTo("share-credits");
        assertThat(kind(look(0.5, 0.51, 0.003, 0.02), 10, 0, 9, 0)).isEqualTo("arrival");
        assertThat(kind(look(0.5, 0.5, 0.003, 0.02), 10, 0, 9, 0)).isEqualTo("share-credits");
        // Workers
        assertThat(kind(look(0.5, 0, 0.003, 0.02), 57, 0, 9, 0)).isEqualTo("share-workers");
        assertThat(kind(look(0.5, 0, 0.003, 0.02), 56.9, 0, 9, 0)).isEqualTo("share-credits");
        assertThat(kind(look(0.02, 0, 0.003, 0.02), 10, 0, 9, 0)).isEqualTo("share-workers");
        assertThat(kind(look(0.021, 0, 0.003, 0.02), 10, 0, 9, 0)).isEqualTo("share-credits");
        // Writes of the group's state
        assertThat(kind(look(0.5, 0, 0.003, 0.02), 10, 0, 9, 0.11)).isEqualTo("share-state");
        assertThat(kind(look(0.5, 0, 0.003, 0.02), 10, 0, 9, 0.1)).isEqualTo("share-credits");
        assertThat(kind(look(0.5, 0, 0.003, 0.11), 10, 0, 9, 0.11)).isEqualTo("share-credits");
        // The turn to fetch
        assertThat(kind(look(0.5, 0, 0.03, 0.02), 10, 0, 9, 0)).isEqualTo("share-fetch-lock");
        assertThat(kind(look(0.5, 0, 0.02, 0.02), 10, 0, 9, 0)).isEqualTo("share-credits");
    }

    /** The consumers do not wait for each other if each can have a partition. */
    @Test
    void consumersThatAreNoMoreThanThePartitions_doNotWaitForTheirTurn() {
        Surroundings around = new Surroundings(60, 10, 100, 0, 9, 0, 0.5);
        for (int consumers : new int[] {2, 3}) {
            Plan plan = new Plan(consumers, 10, AcquireMode.RECORD_LIMIT);
            assertThat(ShareLimits.of(look(0.5, 0, 0.05, 0.02), around, plan, false)
                            .kind())
                    .isEqualTo(consumers > 2 ? "share-fetch-lock" : "share-credits");
        }
    }

    @Test
    void gain_isThatOfWorkersThatNeverWait_andAtMostTwentyfold() {
        Surroundings around = new Surroundings(60, 10, 100, 0, 9, 0, 0.5);
        assertThat(limit(look(0.75, 0, 0.003, 0.02), around).expectedGain()).isEqualTo(4);
        assertThat(limit(look(0.99, 0, 0.003, 0.02), around).expectedGain()).isEqualTo(20);
        Surroundings full = new Surroundings(60, 1, 2_000, 1, 9, 0, 0.5);
        assertThat(limit(look(0.9, 0, 0.003, 0.02), full).expectedGain()).isEqualTo(20);
        Surroundings held = new Surroundings(60, 120, 2_000, 1, 9, 0, 0.5);
        assertThat(limit(look(0.9, 0, 0.003, 0.02), held).expectedGain()).isEqualTo(1);
    }
}
