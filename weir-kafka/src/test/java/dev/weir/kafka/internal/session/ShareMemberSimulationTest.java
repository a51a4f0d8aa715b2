package dev.weir.kafka.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.session.ShareMember.Identity;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A member against brokers in simulated time. The brokers refuse what a real one refuses: a second request, a wrong
 * epoch, offsets that do not ascend, and all of a partition if one offset is not lent.
 */
class ShareMemberSimulationTest {

    private static final int RECORDS = 400;
    private static final int PARTITIONS = 4;
    private static final int CREDITS = 24;
    private static final long SECOND = 1_000_000_000;

    private final Identity identity = new Identity(
            "member", "group", List.of("topic"), List.of(InetSocketAddress.createUnresolved("bootstrap", 1)), true);

    private static void step(SimulatedGroup group, ShareMember member) {
        group.advance(member.turn(group.now));
    }

    private static void runToTheEnd(SimulatedGroup group, ShareMember member, Random random, boolean faults) {
        long until = group.now + 600 * SECOND;
        group.faults(faults);
        long nextFault = group.now + SECOND;
        while (!group.partitions.stream().allMatch(SimulatedPartition::isDone)) {
            assertThat(group.now).as("all records are done").isLessThan(until);
            step(group, member);
            if (faults && group.now >= nextFault) {
                group.fault();
                nextFault = group.now + (random.nextInt(900) + 50) * 1_000_000L;
            }
        }
        assertThat(group.partitions)
                .allSatisfy(each -> assertThat(each.givenUp()).isZero());
        assertThat(group.wronglyReleased)
                .as("records that are released while somebody works on them")
                .isZero();
    }

    private static void close(SimulatedGroup group, SimulatedWork work, ShareMember member) {
        group.faults(false);
        work.ended = true;
        long until = group.now + 60 * SECOND;
        while (member.open() > 0) {
            assertThat(group.now).as("all that is lent ends").isLessThan(until);
            step(group, member);
        }
        member.end();
        while (!member.hasEnded()) {
            assertThat(group.now).as("all sessions end").isLessThan(until);
            step(group, member);
        }
        member.leave();
        while (!member.hasLeft()) {
            assertThat(group.now).as("the group is left").isLessThan(until);
            step(group, member);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void withoutFaults_eachRecordIsDoneOnce_andNothingIsRefused(long seed) {
        Random random = new Random(seed);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = new ShareMember(identity, group, work);
        work.of(member);
        member.plan(CREDITS, false, SimulatedPartition.WINDOW);
        runToTheEnd(group, member, random, false);
        close(group, work, member);
        assertThat(work.done)
                .hasSize(PARTITIONS * RECORDS)
                .allSatisfy((place, times) -> assertThat(times).isOne());
        assertThat(work.accepted).isEqualTo(PARTITIONS * RECORDS);
        assertThat(work.refused).isZero();
        assertThat(group.largestRequest).isLessThanOrEqualTo(CREDITS);
        assertThat(group.hasSessions()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void withFaults_nothingIsLost_andEachLoanEndsInOneWay(long seed) {
        Random random = new Random(seed);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        work.slow = true;
        ShareMember member = new ShareMember(identity, group, work);
        work.of(member);
        member.plan(CREDITS, false, SimulatedPartition.WINDOW);
        runToTheEnd(group, member, random, true);
        close(group, work, member);
        assertThat(work.done).hasSize(PARTITIONS * RECORDS);
        assertThat(work.open()).as("loans without an end").isZero();
        assertThat(group.invalidRequests).as("requests that no broker takes").isZero();
        assertThat(group.hasSessions()).isFalse();
    }

    // The broker had told of it, by its own account, and Weir asked no more: a lone member never got a record.
    @Test
    void assignment_whoseAnswerIsLost_isAskedForAgain() {
        Random random = new Random(23);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        group.assignmentsCutOff = 1;
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = new ShareMember(identity, group, work);
        work.of(member);
        member.plan(CREDITS, false, SimulatedPartition.WINDOW);
        for (long until = group.now + 5 * SECOND; work.lent() == 0; ) {
            assertThat(group.now).as("the first record").isLessThan(until);
            step(group, member);
        }
        runToTheEnd(group, member, random, false);
        close(group, work, member);
        assertThat(work.done).hasSize(PARTITIONS * RECORDS);
    }

    @Test
    void leader_thatMovedAndIsNotKnown_isNotLookedForWithoutPause() {
        Random random = new Random(5);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, 2 * RECORDS);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = new ShareMember(identity, group, work);
        work.of(member);
        member.plan(CREDITS, false, SimulatedPartition.WINDOW);
        while (work.lent() < 100) {
            step(group, member);
        }
        group.moveUnseen(0, SECOND);
        runToTheEnd(group, member, random, false);
        assertThat(group.wrongLeaders).as("of a second, with 100 ms between").isBetween(1, 15);
        close(group, work, member);
        assertThat(work.done).hasSize(PARTITIONS * 2 * RECORDS);
    }

    // Other partitions of the broker waited as well, and its metadata was as old as five minutes.
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
        group.leadsNot = reason;
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = new ShareMember(identity, group, work);
        work.of(member);
        member.plan(CREDITS, false, SimulatedPartition.WINDOW);
        // So that no acknowledgement finds out.
        SimulatedPartition moved = group.partitions.getFirst();
        moved.arrived = 20;
        while (moved.firstUndone() < moved.arrived) {
            step(group, member);
        }
        group.moveUnseen(0, 0);
        moved.arrived = Integer.MAX_VALUE;
        int before = moved.lendings;
        for (long until = group.now + 2 * SECOND; moved.lendings == before; ) {
            assertThat(group.now).as("a record of the new leader").isLessThan(until);
            step(group, member);
        }
        runToTheEnd(group, member, random, false);
        close(group, work, member);
        assertThat(work.done).hasSize(PARTITIONS * 2 * RECORDS);
    }

    @ParameterizedTest
    @EnumSource(names = {"KAFKA_STORAGE_ERROR", "UNKNOWN_SERVER_ERROR"})
    void refusalThatLasts_holdsUpNoOtherPartitionOfTheBroker(Errors reason) {
        SimulatedGroup refusing = new SimulatedGroup(new Random(59), PARTITIONS, 10 * RECORDS);
        refusing.leadsNot = reason;
        SimulatedGroup lending = new SimulatedGroup(new Random(59), PARTITIONS, 10 * RECORDS);
        int undisturbed = doneOfTheOther(lending, 0);
        int disturbed = doneOfTheOther(refusing, 3 * SECOND);
        assertThat(refusing.wrongLeaders).as("it is asked again").isGreaterThan(10);
        assertThat(disturbed).isGreaterThan(undisturbed / 2);
    }

    /** Records of the other partition of a broker that are done within two seconds. */
    private int doneOfTheOther(SimulatedGroup group, long unseenNanos) {
        SimulatedWork work = new SimulatedWork(group, new Random(61), 10);
        ShareMember member = new ShareMember(identity, group, work);
        work.of(member);
        member.plan(CREDITS, false, SimulatedPartition.WINDOW);
        SimulatedPartition moved = group.partitions.getFirst();
        SimulatedPartition other = group.partitions.get(3);
        assertThat(other.leader).isEqualTo(moved.leader);
        moved.arrived = 20;
        while (moved.firstUndone() < moved.arrived) {
            step(group, member);
        }
        if (unseenNanos > 0) {
            group.moveUnseen(0, unseenNanos);
        }
        int before = other.firstUndone();
        for (long until = group.now + 2 * SECOND; group.now < until; ) {
            step(group, member);
        }
        return other.firstUndone() - before;
    }

    // The persister gave up, and the lock stands.
    @ParameterizedTest
    @EnumSource(names = {"UNKNOWN_SERVER_ERROR", "COORDINATOR_NOT_AVAILABLE"})
    void acknowledgementsThatAreNotWrittenDown_areToldAgain(Errors error) {
        Random random = new Random(37);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = new ShareMember(identity, group, work);
        work.of(member);
        member.plan(CREDITS, false, SimulatedPartition.WINDOW);
        while (work.lent() < 200) {
            step(group, member);
        }
        group.refuseAcknowledgements(error, SECOND / 2);
        runToTheEnd(group, member, random, false);
        close(group, work, member);
        assertThat(work.refused).isZero();
        assertThat(work.done)
                .hasSize(PARTITIONS * RECORDS)
                .allSatisfy((place, times) -> assertThat(times).isOne());
    }

    // Brokers know an acknowledgement by its offsets and its member: one that is late hits the member's next lock.
    @ParameterizedTest
    @ValueSource(longs = {41, 43, 47})
    void releaseThatOutlivesItsLock_leavesTheNextLockAlone(long seed) {
        Random random = new Random(seed);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        // Here a record that waits for a worker goes back, which costs deliveries as well.
        group.partitions.forEach(each -> each.deliveryLimit = Short.MAX_VALUE);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        work.fixedMillis = SimulatedPartition.LOCK_MILLIS * 4 / 10;
        ShareMember member = new ShareMember(identity, group, work);
        work.of(member);
        member.plan(CREDITS, false, SimulatedPartition.WINDOW);
        while (work.lent() < 100) {
            step(group, member);
        }
        group.refuseAcknowledgements(Errors.COORDINATOR_NOT_AVAILABLE, SimulatedPartition.LOCK_MILLIS * 1_500_000L);
        runToTheEnd(group, member, random, false);
        close(group, work, member);
        assertThat(work.done).hasSize(PARTITIONS * RECORDS);
    }

    // Each lock stands for the time that it was made with, whatever the group's setting says by now.
    @ParameterizedTest
    @CsvSource({"2000, 20000, 300", "20000, 2000, 3000"})
    void lockTime_thatChanges_holdsForLaterLocksOnly(int before, int after, long changesAfterMillis) {
        Random random = new Random(53);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, 10);
        group.lockFor(before);
        SimulatedWork work = new SimulatedWork(group, random, CREDITS);
        work.fixedMillis = 5_000;
        ShareMember member = new ShareMember(identity, group, work);
        work.of(member);
        member.plan(CREDITS / 2, false, SimulatedPartition.WINDOW);
        while (work.lent() < CREDITS / 2) {
            step(group, member);
        }
        for (long until = group.now + changesAfterMillis * 1_000_000; group.now < until; ) {
            step(group, member);
        }
        group.lockFor(after);
        member.plan(CREDITS, false, SimulatedPartition.WINDOW);
        runToTheEnd(group, member, random, false);
        close(group, work, member);
        assertThat(work.renewed).isPositive();
        assertThat(work.refused + work.notRenewed + work.lost).isZero();
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
        ShareMember member = new ShareMember(identity, group, work);
        work.of(member);
        member.plan(CREDITS, false, SimulatedPartition.WINDOW);
        runToTheEnd(group, member, random, false);
        assertThat(work.renewed).isPositive();
        assertThat(work.refused).isZero();
        assertThat(work.done)
                .hasSize(PARTITIONS * 50)
                .allSatisfy((place, times) -> assertThat(times).isOne());
    }

    // share.renew.acknowledge.enable=false: the broker refuses to renew, and the lock stands for its time.
    @Test
    void renewalThatIsRefused_leavesTheRecordsForTheTimeOfTheirLocks() {
        Random random = new Random(29);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, 50);
        group.partitions.forEach(each -> each.renews = false);
        SimulatedWork work = new SimulatedWork(group, random, CREDITS);
        work.fixedMillis = SimulatedPartition.LOCK_MILLIS * 7 / 10;
        ShareMember member = new ShareMember(identity, group, work);
        work.of(member);
        member.plan(CREDITS, false, SimulatedPartition.WINDOW);
        runToTheEnd(group, member, random, false);
        close(group, work, member);
        assertThat(work.notRenewed).isPositive();
        assertThat(work.refused).isZero();
        assertThat(work.done)
                .hasSize(PARTITIONS * 50)
                .allSatisfy((place, times) -> assertThat(times).isOne());
    }

    // Asked for as many again, a broker threw its answer away each time, until it gave the records up.
    @Test
    void answersThatAQuotaThrowsAway_areAskedForSmaller_beforeDeliveriesEnd() {
        Random random = new Random(11);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, 50);
        group.quotaRecords = 3;
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = new ShareMember(identity, group, work);
        work.of(member);
        member.plan(CREDITS, false, SimulatedPartition.WINDOW);
        runToTheEnd(group, member, random, false);
        assertThat(work.done).hasSize(PARTITIONS * 50);
        assertThat(work.emptied).isPositive().isEqualTo(group.emptiedAnswers);
        assertThat(group.partitions)
                .allSatisfy(each -> assertThat(each.mostDeliveries()).isLessThanOrEqualTo(5));
        close(group, work, member);
    }

    // A fetch that waits at the broker holds up the acknowledgement of the record that has to go first.
    @Test
    void windowsThatAreFull_areNotFetchedFromUntilTheyHaveRoom() {
        SimulatedGroup asked = new SimulatedGroup(new Random(13), PARTITIONS, 5 * RECORDS);
        SimulatedGroup known = new SimulatedGroup(new Random(13), PARTITIONS, 5 * RECORDS);
        runSlowRecords(asked, Integer.MAX_VALUE);
        runSlowRecords(known, SimulatedPartition.WINDOW);
        assertThat(known.emptyFetches).isLessThan(asked.emptyFetches / 2);
    }

    private void runSlowRecords(SimulatedGroup group, int locks) {
        Random random = new Random(17);
        SimulatedWork work = new SimulatedWork(group, random, 1_000);
        work.slow = true;
        ShareMember member = new ShareMember(identity, group, work);
        work.of(member);
        member.plan(2_000, false, locks);
        while (!group.partitions.stream().allMatch(SimulatedPartition::isDone)) {
            member.plan(2_000, false, locks);
            step(group, member);
        }
    }

    // Acknowledgements that wait 20 ms cut requests short, 63 in two seconds; a look each 10 ms makes 247 turns.
    @Test
    void backlog_isAskedForInLargeRequests_andLeavesTheMemberAloneBetweenThem() {
        Random random = new Random(19);
        SimulatedGroup group = new SimulatedGroup(random, 1, 30_000);
        group.partitions.getFirst().window = 2_000;
        SimulatedWork work = new SimulatedWork(group, random, 20);
        ShareMember member = new ShareMember(identity, group, work);
        work.of(member);
        member.workers(20);
        int turns = 0;
        int starved = 0;
        for (long until = group.now + 3 * SECOND; group.now < until; turns++) {
            if (group.now < until - 2 * SECOND) {
                // It has joined, and the store is full.
                turns = 0;
                starved = work.starved;
                group.requests = 0;
            }
            member.plan(20 + 360, false, 2_000);
            turnWhenSomethingCame(group, member, work);
        }
        assertThat(work.starved).as("records that ended while none waited").isEqualTo(starved);
        assertThat(group.requests).as("requests in two seconds").isLessThan(54);
        assertThat(turns).as("turns in two seconds").isLessThan(190);
    }

    private static void turnWhenSomethingCame(SimulatedGroup group, ShareMember member, SimulatedWork work) {
        long until = group.now + member.turn(group.now);
        int answers = group.answers;
        work.wakes = false;
        while (group.now < until && group.answers == answers && !work.wakes) {
            group.advance(until - group.now);
        }
    }

    @Test
    void endWhileHandlersRun_givesBackWhatTheyDoNotFinish() {
        Random random = new Random(3);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        SimulatedWork work = new SimulatedWork(group, random, 10);
        ShareMember member = new ShareMember(identity, group, work);
        work.of(member);
        member.plan(CREDITS, false, SimulatedPartition.WINDOW);
        while (work.lent() < 200) {
            step(group, member);
        }
        work.ended = true;
        step(group, member);
        int given = member.giveUp();
        assertThat(given).isPositive();
        assertThat(work.wentBack).as("told of each").isGreaterThanOrEqualTo(given);
        close(group, work, member);
        assertThat(group.partitions.stream().mapToInt(SimulatedPartition::lent).sum())
                .as("records that stay locked")
                .isZero();
        assertThat(work.refused).isZero();
    }
}
