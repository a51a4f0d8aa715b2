package dev.weir.lean.share;

import static dev.weir.lean.share.SimulatedRun.CREDITS;
import static dev.weir.lean.share.SimulatedRun.close;
import static dev.weir.lean.share.SimulatedRun.member;
import static dev.weir.lean.share.SimulatedRun.runToTheEnd;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two members that read the same partitions in simulated time. The brokers check which member has acquired a record.
 */
class ShareMembersSimulationTest {

    private static final int RECORDS = 400;
    private static final int PARTITIONS = 4;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void withoutFaults_eachRecordIsDoneOnce(long seed) {
        Random random = new Random(seed);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        SimulatedWork one = new SimulatedWork(group, random, 10);
        SimulatedWork other = new SimulatedWork(group, random, CREDITS);
        other.slow = true;
        ShareMember first = member("one", group, one);
        ShareMember second = member("other", group, other);
        runToTheEnd(group, random, false);
        close(group, one, first);
        close(group, other, second);
        assertThat(one.done).isNotEmpty();
        assertThat(other.done).isNotEmpty();
        assertThat(one.done.keySet()).doesNotContainAnyElementsOf(other.done.keySet());
        assertThat(one.done.size() + other.done.size()).isEqualTo(PARTITIONS * RECORDS);
        assertThat(one.accepted + other.accepted).isEqualTo(PARTITIONS * RECORDS);
        assertThat(one.refused).isEmpty();
        assertThat(other.refused).isEmpty();
        assertThat(group.share.strangers()).isZero();
        assertThat(group.share.hasSessions()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("dev.weir.lean.share.SimulatedRun#seeds")
    void withFaults_nothingIsLost_alsoIfOneIsKilled(long seed) {
        Random random = new Random(seed);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        SimulatedWork one = new SimulatedWork(group, random, 10);
        one.slow = true;
        SimulatedWork other = new SimulatedWork(group, random, 10);
        other.slow = true;
        ShareMember first = member("one", group, one);
        ShareMember second = member("other", group, other);
        boolean dies = random.nextBoolean();
        if (dies) {
            group.at(group.now() + (2_000 + random.nextInt(4_000)) * 1_000_000L, () -> group.kill("other"));
        }
        runToTheEnd(group, random, true);
        close(group, one, first);
        assertThat(one.open()).as("acquired records without an end").isZero();
        if (!dies) {
            close(group, other, second);
            assertThat(other.open()).as("acquired records without an end").isZero();
        }
        Set<String> done = new HashSet<>(one.done.keySet());
        done.addAll(other.done.keySet());
        assertThat(done).hasSize(PARTITIONS * RECORDS);
        assertThat(group.share.invalidRequests())
                .as("requests that no broker takes")
                .isZero();
    }

    // The frozen member's locks have ended, and the other member has acquired the records.
    @Test
    void memberThatStoodStill_changesNothingOfWhatAnotherHasByNow() {
        Random random = new Random(71);
        SimulatedGroup group = new SimulatedGroup(random, PARTITIONS, RECORDS);
        SimulatedWork one = new SimulatedWork(group, random, 10);
        SimulatedWork other = new SimulatedWork(group, random, CREDITS);
        other.fixedMillis = SimulatedGroup.LOCK_MILLIS * 7 / 10;
        ShareMember first = member("one", group, one);
        ShareMember second = member("other", group, other);
        while (other.open() < CREDITS) {
            group.step();
        }
        while (one.open() == 0) {
            group.step();
        }
        group.host("one").process.freeze(SimulatedGroup.LOCK_MILLIS * 1_500_000L);
        runToTheEnd(group, random, false);
        close(group, one, first);
        close(group, other, second);
        assertThat(group.share.strangers())
                .as("acknowledgements of what another member has")
                .isPositive();
        assertThat(one.refused).isNotEmpty();
        assertThat(other.refused).isEmpty();
        assertThat(other.lost).isEmpty();
    }
}
