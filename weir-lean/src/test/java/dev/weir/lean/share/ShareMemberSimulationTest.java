package dev.weir.lean.share;

import static dev.weir.lean.share.SimulatedRun.CREDITS;
import static dev.weir.lean.share.SimulatedRun.SECOND;
import static dev.weir.lean.share.SimulatedRun.close;
import static dev.weir.lean.share.SimulatedRun.member;
import static dev.weir.lean.share.SimulatedRun.runToTheEnd;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.simulation.Planted;
import dev.weir.simulation.SharePartition;
import dev.weir.simulation.Topics.Partition;
import java.util.Random;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A member and its brokers in simulated time. The brokers refuse second requests, wrong epochs and unordered offsets.
 * They also refuse a partition's acknowledgements if the member has not acquired one of the offsets.
 */
class ShareMemberSimulationTest {

    private static final int RECORDS = 400;
    private static final int PARTITIONS = 4;
    private static final long HOUR = 3_600 * SECOND;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void withoutFaults_eachRecordIsDoneOnce_andNothingIsRefused(long seed) {
        runWithoutFaults(seed, new SimulatedGroup(new Random(seed), PARTITIONS, RECORDS));
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCKS_IGNORED", "ACCEPTED_FORGOTTEN", "RELEASED_ARCHIVED"})
    void plantedFault_isFound(Planted fault) {
        SimulatedGroup group = new SimulatedGroup(new Random(1), PARTITIONS, RECORDS);
        group.brokers.plant(fault);
        assertThatThrownBy(() -> runWithoutFaults(1, group)).isInstanceOf(AssertionError.class);
    }

    private static void runWithoutFaults(long seed, SimulatedGroup group) {
        Random random = new Random(seed);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = member(group, work);
        runToTheEnd(group, random, false);
        close(group, work, member);
        assertThat(work.done)
                .hasSize(PARTITIONS * RECORDS)
                .allSatisfy((place, times) -> assertThat(times).isOne());
        assertThat(work.accepted).isEqualTo(PARTITIONS * RECORDS);
        assertThat(work.refused).isEmpty();
        assertThat(group.share.largestRequest()).isLessThanOrEqualTo(CREDITS);
        assertThat(group.share.hasSessions()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("dev.weir.lean.share.SimulatedRun#seeds")
    void withFaults_nothingIsLost_andEachAcquiredRecordEndsOnce(long seed) {
        Random random = new Random(seed);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        work.slow = true;
        ShareMember member = member(group, work);
        runToTheEnd(group, random, true);
        close(group, work, member);
        assertThat(work.done).hasSize(PARTITIONS * RECORDS);
        assertThat(work.open()).as("acquired records without an end").isZero();
        assertThat(group.share.invalidRequests())
                .as("requests that no broker takes")
                .isZero();
        assertThat(group.share.hasSessions()).isFalse();
    }

    // Regression: with a backlog, each fetch was filled from one partition, so one of 60 waited for more than 3
    // seconds.
    @ParameterizedTest
    @ValueSource(ints = {6, 60, 61})
    void partitions_thatAllHaveABacklog_areAllReadWithinTwoSeconds(int ofBroker) {
        Random random = new Random(7);
        int partitions = ofBroker * SimulatedGroup.BROKERS;
        SimulatedGroup group = new SimulatedGroup(random, partitions, 60_000 / partitions);
        group.share.window(2_000);
        SimulatedWork work = new SimulatedWork(group, random, 100);
        work.fixedMillis = 10;
        ShareMember member = member(group, work);
        member.workers(100);
        member.plan(1_100, false, 2_000);
        long[] next = new long[partitions];
        long widest = 0;
        while (work.acquired() < 40_000) {
            int before = work.acquired();
            group.step();
            for (ScriptedReceiver.ScriptedRecord each : work.acquired.subList(before, work.acquired())) {
                long since = group.now() - next[each.partition()];
                widest = Math.max(widest, next[each.partition()] == 0 ? 0 : since);
                next[each.partition()] = group.now();
            }
        }
        assertThat(next).as("time of the last record of each partition").doesNotContain(0);
        assertThat(widest).as("longest wait of a partition, in nanoseconds").isLessThan(2 * SECOND);
        assertThat(work.starved).as("waits of a worker for a record").isLessThan(2_000);
    }

    // Regression: a group's only member never received a record after its assignment was lost.
    @Test
    void assignment_whoseAnswerIsLost_isAskedForAgain() {
        Random random = new Random(23);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        group.share.cutOffAssignments(1);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = member(group, work);
        for (long until = group.now() + 5 * SECOND; work.acquired() == 0; ) {
            assertThat(group.now()).as("the first record").isLessThan(until);
            group.step();
        }
        runToTheEnd(group, random, false);
        close(group, work, member);
        assertThat(work.done).hasSize(PARTITIONS * RECORDS);
    }

    @Test
    void leader_thatMovedAndIsNotKnown_isNotLookedForWithoutPause() {
        Random random = new Random(5);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, 2 * RECORDS);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = member(group, work);
        while (work.acquired() < 100) {
            group.step();
        }
        group.moveUnseen(0, SECOND);
        runToTheEnd(group, random, false);
        assertThat(group.share.wrongLeaders())
                .as("of a second, with 100 ms between")
                .isBetween(1, 15);
        close(group, work, member);
        assertThat(work.done).hasSize(PARTITIONS * 2 * RECORDS);
    }

    // Regression: the member queried the same broker 7,186 times in an hour.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void brokerThatIsBehindForGood_isNotTheOnlyOneThatIsAsked(int moved) {
        Random random = new Random(73);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = runUntilSome(group, random, work);
        int behind = group.brokers.lastAsked();
        group.brokers.topics().cutOff(behind, HOUR);
        for (int i = 0; i < moved; i++) {
            group.move(i);
        }
        assertReadWithin(group, 10 * SECOND);
        close(group, work, member);
        assertThat(work.done).hasSize(PARTITIONS * RECORDS);
    }

    @Test
    void brokersThatAreBehindForGood_areAllLeft_untilOneHelps() {
        Random random = new Random(79);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = runUntilSome(group, random, work);
        group.brokers.topics().cutOff(group.brokers.lastAsked(), HOUR);
        group.brokers.topics().cutOff(group.brokers.lastAsked() % SimulatedGroup.BROKERS + 1, HOUR);
        group.move(0);
        assertReadWithin(group, 10 * SECOND);
        close(group, work, member);
    }

    // Regression: the member went back and forth between the former coordinator and the broker that named it.
    @Test
    void brokerThatNamesTheFormerCoordinator_isNotTheOnlyOneThatIsAsked() {
        Random random = new Random(83);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = runUntilSome(group, random, work);
        group.brokers.topics().cutOff(group.brokers.lastAsked(), HOUR);
        group.brokers.topics().coordinator(3);
        for (long until = group.now() + 10 * SECOND; group.share.beats(3) == 0; ) {
            assertThat(group.now()).as("a heartbeat to the new coordinator").isLessThan(until);
            group.step();
        }
        runToTheEnd(group, random, false);
        close(group, work, member);
    }

    // Regression: the member ignored the new leader named by a former leader, while all metadata were outdated.
    @Test
    void leaderThatABrokerNames_isBelieved_andOlderMetadataAreNot() {
        Random random = new Random(89);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        group.share.hints(false);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = runUntilSome(group, random, work);
        group.share.hints(true);
        group.moveUnseen(0, HOUR);
        assertReadWithin(group, 10 * SECOND);
        assertThat(group.share.wrongLeaders()).isLessThan(10);
        close(group, work, member);
    }

    // An older hint would send the member to a former leader and back.
    @Test
    void leaderThatABrokerNames_isNotBelieved_ifItIsOlderThanWhatIsKnown() {
        Random random = new Random(97);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        group.share.hints(false);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = runUntilSome(group, random, work);
        group.move(0);
        int former = group.log(0).leader();
        group.brokers.topics().cutOff(former, HOUR);
        group.move(0);
        group.move(0);
        assertReadWithin(group, 10 * SECOND);
        assertThat(group.share.wrongLeaders()).isLessThan(10);
        close(group, work, member);
    }

    // No broker helps while a partition has no leader.
    @Test
    void partitionWithoutALeader_makesConnectionsNoMoreThanNowAndThen() {
        Random random = new Random(101);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = runUntilSome(group, random, work);
        Partition first = group.log(0);
        first.moveTo(SimulatedGroup.BROKERS + 1);
        int before = group.brokers.network().opened();
        for (long until = group.now() + 60 * SECOND; group.now() < until; ) {
            group.step();
        }
        assertThat(group.brokers.network().opened() - before).isBetween(10, 40);
        first.moveTo(2);
        assertReadWithin(group, 10 * SECOND);
        close(group, work, member);
    }

    // Regression: the lock on a recreated topic's records was renewed forever.
    @Test
    void recordsOfARecreatedTopic_endBesideThoseOfTheFormerOne() {
        Random random = new Random(103);
        SimulatedGroup group = new SimulatedGroup(random, 1, RECORDS);
        SimulatedWork work = new SimulatedWork(group, random, 2 * CREDITS);
        work.fixedMillis = 5 * SimulatedGroup.LOCK_MILLIS;
        ShareMember member = member(group, work);
        member.plan(CREDITS, false, SimulatedGroup.WINDOW);
        while (work.acquired() < CREDITS) {
            group.step();
        }
        work.fixedMillis = 0;
        group.recreateTopic(RECORDS);
        // Until the group assigns the new topic, the member fetches nothing that would report the end of the former
        // topic.
        for (long until = group.now() + SECOND * 7 / 10; group.now() < until; ) {
            group.step();
        }
        assertThat(work.open()).isEqualTo(CREDITS);
        member.plan(2 * CREDITS, false, SimulatedGroup.WINDOW);
        assertReadWithin(group, 20 * SECOND);
        close(group, work, member);
    }

    // The group sends topic ids, so the former topic is not used by mistake.
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void brokersThatNameTheFormerTopic_keepNoPartitionFromBeingRead(int stale) {
        Random random = new Random(107);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = runUntilSome(group, random, work);
        for (int i = 0; i < stale; i++) {
            group.brokers.topics().cutOff((group.brokers.lastAsked() + i - 1) % SimulatedGroup.BROKERS + 1, HOUR);
        }
        group.recreateTopic(RECORDS);
        group.move(0);
        assertReadWithin(group, 20 * SECOND);
        group.move(1);
        close(group, work, member);
    }

    private ShareMember runUntilSome(SimulatedGroup group, Random random, SimulatedWork work) {
        ShareMember member = member("member", group, work, 1 + random.nextInt(2), 3);
        while (work.acquired() < 100) {
            group.step();
        }
        return member;
    }

    private static void assertReadWithin(SimulatedGroup group, long nanos) {
        long until = group.now() + nanos;
        while (!group.isDone()) {
            assertThat(group.now())
                    .as(
                            "done %s",
                            group.partitions().stream()
                                    .map(SharePartition::isDone)
                                    .toList())
                    .isLessThan(until);
            group.step();
        }
    }

    // Regression: the broker's other partitions waited for up to five minutes.
    @ParameterizedTest
    @EnumSource(
            names = {
                "KAFKA_STORAGE_ERROR",
                "REPLICA_NOT_AVAILABLE",
                "OFFSET_NOT_AVAILABLE",
                "INCONSISTENT_TOPIC_ID",
                "UNKNOWN_SERVER_ERROR"
            })
    void leader_thatMovedForAnotherReason_isLookedForAtOnce(Errors reason) {
        Random random = new Random(31);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, 2 * RECORDS);
        group.share.leadsNot(reason);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = member(group, work);
        // Waits until all acknowledgements are sent, so that none of them discovers the new leader.
        SharePartition moved = group.partition(0);
        moved.arrived(20);
        while (moved.firstUndone() < 20) {
            group.step();
        }
        group.moveUnseen(0, 0);
        moved.arrived(Long.MAX_VALUE);
        int before = moved.acquisitions();
        for (long until = group.now() + 2 * SECOND; moved.acquisitions() == before; ) {
            assertThat(group.now()).as("a record of the new leader").isLessThan(until);
            group.step();
        }
        runToTheEnd(group, random, false);
        close(group, work, member);
        assertThat(work.done).hasSize(PARTITIONS * 2 * RECORDS);
    }

    @ParameterizedTest
    @EnumSource(names = {"KAFKA_STORAGE_ERROR", "UNKNOWN_SERVER_ERROR"})
    void refusalThatLasts_holdsUpNoOtherPartitionOfTheBroker(Errors reason) {
        SimulatedGroup refusing = new SimulatedGroup(new Random(59), PARTITIONS, 10 * RECORDS);
        refusing.share.leadsNot(reason);
        SimulatedGroup lending = new SimulatedGroup(new Random(59), PARTITIONS, 10 * RECORDS);
        int undisturbed = doneOfTheOther(lending, 0);
        int disturbed = doneOfTheOther(refusing, 3 * SECOND);
        assertThat(refusing.share.wrongLeaders()).as("it is asked again").isGreaterThan(10);
        assertThat(disturbed).isGreaterThan(undisturbed / 2);
    }

    /** Returns the other partition's finished records within two seconds. */
    private int doneOfTheOther(SimulatedGroup group, long unseenNanos) {
        SimulatedWork work = new SimulatedWork(group, new Random(61), 10);
        var unused = member(group, work);
        SharePartition moved = group.partition(0);
        SharePartition other = group.partition(3);
        assertThat(group.log(3).leader()).isEqualTo(group.log(0).leader());
        moved.arrived(20);
        while (moved.firstUndone() < 20) {
            group.step();
        }
        if (unseenNanos > 0) {
            group.moveUnseen(0, unseenNanos);
        }
        int before = other.firstUndone();
        for (long until = group.now() + 2 * SECOND; group.now() < until; ) {
            group.step();
        }
        return other.firstUndone() - before;
    }

    // The broker did not write the state, so the lock remains.
    @ParameterizedTest
    @EnumSource(names = {"UNKNOWN_SERVER_ERROR", "COORDINATOR_NOT_AVAILABLE"})
    void acknowledgementsThatAreNotWrittenDown_areToldAgain(Errors error) {
        Random random = new Random(37);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = member(group, work);
        while (work.acquired() < 200) {
            group.step();
        }
        group.share.refuseAcknowledgements(error, SECOND / 2);
        runToTheEnd(group, random, false);
        close(group, work, member);
        assertThat(work.refused).isEmpty();
        assertThat(work.done)
                .hasSize(PARTITIONS * RECORDS)
                .allSatisfy((place, times) -> assertThat(times).isOne());
    }

    // Brokers identify an acknowledgement by offsets and member, so a late acknowledgement affects the member's next
    // lock.
    @ParameterizedTest
    @ValueSource(longs = {41, 43, 47})
    void releaseThatOutlivesItsLock_leavesTheNextLockAlone(long seed) {
        Random random = new Random(seed);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        // Here, waiting records are also released, which uses up deliveries.
        group.share.deliveryLimit(Short.MAX_VALUE);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        work.fixedMillis = SimulatedGroup.LOCK_MILLIS * 4 / 10;
        ShareMember member = member(group, work);
        while (work.acquired() < 100) {
            group.step();
        }
        group.share.refuseAcknowledgements(Errors.COORDINATOR_NOT_AVAILABLE, SimulatedGroup.LOCK_MILLIS * 1_500_000L);
        runToTheEnd(group, random, false);
        close(group, work, member);
        assertThat(work.done).hasSize(PARTITIONS * RECORDS);
    }

    // Each lock lasts as long as the group's setting said when it was granted.
    @ParameterizedTest
    @CsvSource({"2000, 20000, 300", "20000, 2000, 3000"})
    void lockTime_thatChanges_holdsForLaterLocksOnly(int before, int after, long changesAfterMillis) {
        Random random = new Random(53);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, 10);
        group.share.lockMillis(before);
        SimulatedWork work = new SimulatedWork(group, random, CREDITS);
        work.fixedMillis = 5_000;
        ShareMember member = member(group, work);
        member.plan(CREDITS / 2, false, SimulatedGroup.WINDOW);
        while (work.acquired() < CREDITS / 2) {
            group.step();
        }
        for (long until = group.now() + changesAfterMillis * 1_000_000; group.now() < until; ) {
            group.step();
        }
        group.share.lockMillis(after);
        member.plan(CREDITS, false, SimulatedGroup.WINDOW);
        runToTheEnd(group, random, false);
        close(group, work, member);
        assertThat(work.renewed).isPositive();
        assertThat(work.refused).isEmpty();
        assertThat(work.notRenewed).isEmpty();
        assertThat(work.lost).isEmpty();
        assertThat(work.done)
                .hasSize(PARTITIONS * 10)
                .allSatisfy((place, times) -> assertThat(times).isOne());
    }

    @Test
    void handlersLongerThanTheLock_areRenewed_andNothingIsDeliveredTwice() {
        Random random = new Random(7);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, 50);
        SimulatedWork work = new SimulatedWork(group, random, CREDITS);
        work.slow = true;
        var unused = member(group, work);
        runToTheEnd(group, random, false);
        assertThat(work.renewed).isPositive();
        assertThat(work.refused).isEmpty();
        assertThat(work.done)
                .hasSize(PARTITIONS * 50)
                .allSatisfy((place, times) -> assertThat(times).isOne());
    }

    // With share.renew.acknowledge.enable=false, a lock is not renewed, but lasts for its full duration.
    @Test
    void renewalThatIsRefused_leavesTheRecordsForTheTimeOfTheirLocks() {
        Random random = new Random(29);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, 50);
        group.share.renews(false);
        SimulatedWork work = new SimulatedWork(group, random, CREDITS);
        work.fixedMillis = SimulatedGroup.LOCK_MILLIS * 7 / 10;
        ShareMember member = member(group, work);
        runToTheEnd(group, random, false);
        close(group, work, member);
        assertThat(work.notRenewed).isNotEmpty();
        assertThat(work.refused).isEmpty();
        assertThat(work.done)
                .hasSize(PARTITIONS * 50)
                .allSatisfy((place, times) -> assertThat(times).isOne());
    }

    @Test
    void renewalsThatTheGroupDoesNotMake_areNotAskedFor() {
        Random random = new Random(67);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, 50);
        group.share.renews(false);
        SimulatedWork work = new SimulatedWork(group, random, CREDITS);
        work.renews = false;
        work.fixedMillis = SimulatedGroup.LOCK_MILLIS * 7 / 10;
        ShareMember member = member(group, work);
        runToTheEnd(group, random, false);
        close(group, work, member);
        assertThat(work.refused).isEmpty();
        assertThat(work.notRenewed).isEmpty();
        assertThat(work.lost).isEmpty();
        assertThat(work.done)
                .hasSize(PARTITIONS * 50)
                .allSatisfy((place, times) -> assertThat(times).isOne());
    }

    // The broker discards responses over the quota, which uses up deliveries.
    @ParameterizedTest
    @MethodSource("dev.weir.lean.share.SimulatedRun#seeds")
    void answersThatAQuotaThrowsAway_areAskedForSmaller_beforeDeliveriesEnd(long seed) {
        Random random = new Random(seed);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, 50);
        group.share.quotaRecords(3);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = member(group, work);
        runToTheEnd(group, random, false);
        assertThat(work.done).hasSize(PARTITIONS * 50);
        assertThat(work.emptied).isPositive().isEqualTo(group.share.emptiedAnswers());
        assertThat(group.partitions())
                .allSatisfy(each -> assertThat(each.mostDeliveries()).isLessThanOrEqualTo(6));
        close(group, work, member);
    }

    // A fetch that waits at the broker delays the acknowledgement of the first record.
    @Test
    void windowsThatAreFull_areNotFetchedFromUntilTheyHaveRoom() {
        SimulatedGroup asked = new SimulatedGroup(new Random(13), PARTITIONS, 5 * RECORDS);
        SimulatedGroup known = new SimulatedGroup(new Random(13), PARTITIONS, 5 * RECORDS);
        runSlowRecords(asked, Integer.MAX_VALUE);
        runSlowRecords(known, SimulatedGroup.WINDOW);
        assertThat(known.share.emptyFetches()).isLessThan(asked.share.emptyFetches() / 2);
    }

    private void runSlowRecords(SimulatedGroup group, int locks) {
        Random random = new Random(17);
        SimulatedWork work = new SimulatedWork(group, random, 1_000);
        work.slow = true;
        ShareMember member = member(group, work);
        member.plan(2_000, false, locks);
        while (!group.isDone()) {
            member.plan(2_000, false, locks);
            group.step();
        }
    }

    // With acknowledgements after 20 ms, there would be 63 requests in two seconds.
    @Test
    void backlog_isAskedForInLargeRequests_andLeavesTheMemberAloneBetweenThem() {
        Random random = new Random(19);
        SimulatedGroup group = new SimulatedGroup(random, 1, 30_000);
        group.share.window(2_000);
        SimulatedWork work = new SimulatedWork(group, random, 20);
        ShareMember member = member(group, work);
        member.workers(20);
        int turns = 0;
        int starved = 0;
        int requests = 0;
        for (long until = group.now() + 3 * SECOND; group.now() < until; turns++) {
            if (group.now() < until - 2 * SECOND) {
                // The member has joined, and its buffer is full.
                turns = 0;
                starved = work.starved;
                requests = requests(group);
            }
            member.plan(20 + 360, false, 2_000);
            turnWhenSomethingCame(group, work);
        }
        assertThat(work.starved).as("records that ended while none waited").isEqualTo(starved);
        assertThat(requests(group) - requests).as("requests in two seconds").isLessThan(54);
        assertThat(turns).as("turns in two seconds").isLessThan(190);
    }

    private static int requests(SimulatedGroup group) {
        return group.brokers.network().requests(ApiKeys.SHARE_FETCH)
                + group.brokers.network().requests(ApiKeys.SHARE_ACKNOWLEDGE);
    }

    private static void turnWhenSomethingCame(SimulatedGroup group, SimulatedWork work) {
        long until = group.now() + group.host("member").turn();
        int answers = group.brokers.network().answers();
        work.wakes = false;
        while (group.now() < until && group.brokers.network().answers() == answers && !work.wakes) {
            group.brokers.schedule().advance(until - group.now());
        }
    }

    @Test
    void endWhileHandlersRun_givesBackWhatTheyDoNotFinish() {
        Random random = new Random(3);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = member(group, work);
        while (work.acquired() < 200) {
            group.step();
        }
        work.over = true;
        group.step();
        int given = member.giveUp();
        assertThat(given).isPositive();
        assertThat(work.wentBack).as("told of each").hasSizeGreaterThanOrEqualTo(given);
        close(group, work, member);
        assertThat(group.partitions().stream()
                        .mapToInt(SharePartition::acquired)
                        .sum())
                .as("records that stay locked")
                .isZero();
        assertThat(work.refused).isEmpty();
    }
}
