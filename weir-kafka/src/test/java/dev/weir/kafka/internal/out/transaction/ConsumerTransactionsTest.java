package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.fetch.LogPosition;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests when the owner of the consumer commits a transaction, and when it aborts one. */
class ConsumerTransactionsTest extends ConsumerTransactionsCase {

    // ---- Due times -------------------------------------------------------------------------------------------------

    @Test
    void transaction_isCommittedWithTheFinishedOffsets_onceItsIntervalHasPassed() {
        nowNanos += 3;
        long ignored = written(0);
        assertThat(transactions.nanosUntilDue()).isEqualTo(INTERVAL);
        afterwards(INTERVAL - 1);
        assertThat(transactions.nanosUntilDue()).isEqualTo(1);
        assertCounts(0, 0);
        afterwards(1);
        assertCounts(1, 0);
        assertThat(committedOffsets()).containsExactly(Map.entry(ID, 1L));
        assertThat(commits.succeeded()).isZero();
        transactions.commitIfDue();
        assertThat(commits.succeeded()).isEqualTo(1);
        assertThat(partition(ID).committedOffset()).isEqualTo(1);
    }

    /** The brokers reject the offsets if the group has rebalanced since (KIP-447). */
    @Test
    void transaction_isCommittedForTheMemberAtItsCut() {
        long ignored = written(0);
        generation = 5;
        thread.hold();
        afterwards(INTERVAL);
        generation = 6;
        thread.release();
        assertThat(members).extracting(ConsumerGroupMetadata::generationId).containsExactly(5);
    }

    @ParameterizedTest
    @ValueSource(longs = {INTERVAL, 3 * SECOND})
    void offsetsWithoutRecords_areCommittedOncePerIntervalAndSecond(long interval) {
        committer.close();
        begin(interval, false);
        long pause = Math.max(SECOND, interval);
        assertThat(transactions.nanosUntilDue()).isEqualTo(SECOND);
        tracker.ack(tracker.append(0, 1));
        afterwards(SECOND - 1);
        assertCounts(0, 0);
        afterwards(1);
        assertCounts(1, 0);
        assertThat(transactions.nanosUntilDue()).isEqualTo(pause);
        tracker.ack(tracker.append(1, 1));
        afterwards(pause - 1);
        assertCounts(1, 0);
        afterwards(1);
        assertCounts(2, 0);
        afterwards(pause);
        assertThat(counts.snapshot().committed()).as("nothing new").isEqualTo(2);
        assertThat(transactions.nanosUntilDue()).isEqualTo(pause);
        afterwards(2 * pause);
        nowNanos += pause + 1;
        assertThat(transactions.nanosUntilDue()).isZero();
    }

    @Test
    void offsetsWithoutRecords_waitForAFreeProducer() {
        run.lock.lock();
        try {
            TransactionalProducer<String, String> first = run.takeFree();
            TransactionalProducer<String, String> second = run.takeFree();
            tracker.ack(tracker.append(0, 1));
            afterwards(SECOND);
            assertThat(transactions.nanosUntilDue()).isEqualTo(SECOND / 200);
            assertThat(run.isIntakeHeld()).isFalse();
            run.opened(first);
            run.opened(second);
        } finally {
            run.lock.unlock();
        }
        assertCounts(0, 0);
        afterwards(SECOND / 200);
        assertCounts(1, 0);
    }

    @Test
    void offsetsWithoutRecords_whoseProducerIsBroken_areNotCommitted() {
        clients.forEach(each -> each.beginFailure = new KafkaException("planned"));
        tracker.ack(tracker.append(0, 1));
        afterwards(SECOND);
        assertCounts(0, 1);
        assertThat(run.state()).isEqualTo(TransactionState.ABORTED);
        assertThat(committedOffsets()).isEmpty();
    }

    @Test
    void cut_whileAnotherThreadHasTheLock_isTriedAgainSoon() throws InterruptedException {
        long ignored = written(0);
        nowNanos += INTERVAL;
        Thread foreign = new Thread(run.lock::lock); // never unlocks
        foreign.start();
        foreign.join();
        try {
            transactions.commitIfDue();
            assertThat(run.isCutWanted()).isTrue();
            assertThat(transactions.nanosUntilDue()).isEqualTo(SECOND / 1_000);
            assertThat(transactions.isSettled()).isFalse();
            assertCounts(0, 0);
        } finally {
            begin(INTERVAL, false); // with another lock, to be closed
        }
    }

    @Test
    void transactionThatIsBeingSentTo_isCutLater() {
        long ignored = written(0);
        nowNanos += INTERVAL;
        run.lock.lock();
        try {
            run.send(transactions::commitIfDue);
        } finally {
            run.lock.unlock();
        }
        assertCounts(0, 0);
        assertThat(transactions.nanosUntilDue()).isEqualTo(SECOND / 200);
        afterwards(SECOND / 200);
        assertCounts(1, 0);
    }

    @Test
    void timeUntilTheNextCall_dependsOnTheState_andSoDoesWhetherAllIsSettled() {
        assertThat(transactions.isSettled()).isTrue();
        long token = written(1);
        assertThat(transactions.isSettled()).isFalse();
        run.wantCut();
        assertThat(transactions.nanosUntilDue()).isZero();
        assertThat(transactions.isSettled()).as("waits only for its inputs").isTrue();
        tracker.ack(token);
        thread.hold();
        transactions.commitIfDue();
        assertThat(run.state()).isEqualTo(TransactionState.FLUSHING);
        assertThat(transactions.nanosUntilDue()).isEqualTo(2 * SECOND);
        assertThat(transactions.isSettled()).isFalse();
        nowNanos += 3 * SECOND;
        assertThat(transactions.nanosUntilDue()).isZero();
        committer.abortFilling(new KafkaException("planned"));
        assertThat(run.state()).isEqualTo(TransactionState.ABORT_ASKED);
        assertThat(transactions.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
        thread.release();
        assertThat(run.state()).isEqualTo(TransactionState.ABORTED);
        assertThat(transactions.nanosUntilDue()).isZero();
        assertThat(transactions.isSettled()).isFalse();
        committer.close();
        assertThat(transactions.nanosUntilDue()).isEqualTo(Long.MAX_VALUE);
        assertThat(transactions.isSettled()).isTrue();
    }

    @Test
    void openTransactionsOfOtherRuns_areSoughtEveryTwoSeconds_whileAPartitionHasNoPosition() {
        transactions.commitIfDue();
        assertThat(fences).isZero();
        assignment.hold(List.of(partition(OTHER)));
        transactions.commitIfDue();
        assertThat(fences).isEqualTo(1);
        afterwards(2 * SECOND - 1);
        assertThat(fences).isEqualTo(1);
        afterwards(1);
        assertThat(fences).isEqualTo(2);
        assignment.release(partition(OTHER), LogPosition.at(0));
        afterwards(2 * SECOND);
        assertThat(fences).isEqualTo(2);
    }

    // ---- Unfinished inputs -----------------------------------------------------------------------------------------

    @Test
    void transactionWithAnUnfinishedInput_isCommittedOnceThatIsFinished() {
        long token = written(1);
        long ignored = written(other, 0);
        afterwards(INTERVAL);
        assertThat(transactions.nanosUntilDue()).isEqualTo(SECOND / 200);
        afterwardsInSteps(PATIENCE - 1);
        assertCounts(0, 0);
        tracker.ack(token);
        afterwards(SECOND);
        assertCounts(1, 0);
        assertThat(committedOffsets()).containsOnly(Map.entry(ID, 1L), Map.entry(OTHER, 1L));
    }

    @Test
    void transactionThatWaitsTooLongForAnInput_failsTheRun_once() {
        long ignored = written(1);
        afterwards(INTERVAL);
        afterwardsInSteps(PATIENCE - MOMENT);
        assertThat(context.failures).isEmpty();
        afterwards(MOMENT);
        assertThat(context.failures).hasSize(1);
        afterwards(SECOND);
        assertThat(context.failures)
                .singleElement()
                .satisfies(stuck -> assertThat(stuck).hasMessageContaining("records of in-0@0 are in it"));
        context.failures.clear();
    }

    @Test
    void transactionWithAnInputThatAnotherMemberReads_isAborted() {
        long ignored = written(1);
        var withdrawn = assignment.withdraw(Set.of(ID));
        afterwards(INTERVAL);
        assertCounts(0, 1);
        assertThat(withdrawn).hasSize(1);
    }

    @Test
    void transactionWithFinishedInputs_whosePartitionAnotherMemberReads_isAborted() {
        long ignored = written(0);
        var withdrawn = assignment.withdraw(Set.of(ID));
        afterwards(INTERVAL);
        assertCounts(0, 1);
        assertThat(withdrawn).hasSize(1);
    }

    /** Its next position is known only when the brokers have confirmed it. */
    @Test
    void transactionWithInputsOfARestartedPartition_isCommittedOnceThatHasAPosition() {
        long ignored = written(0);
        AssignedPartition renewed = assignment.renew(partition(ID));
        assignment.hold(List.of(renewed));
        afterwards(INTERVAL);
        afterwardsInSteps(PATIENCE - 1);
        assertCounts(0, 0);
        assignment.release(renewed, LogPosition.at(5));
        afterwards(SECOND / 2);
        assertCounts(1, 0);
        assertThat(committedOffsets()).containsExactly(Map.entry(ID, 5L));
    }

    @Test
    void transactionWithInputsOfARestartedPartition_isAborted_ifThatGetsNoPosition() {
        long ignored = written(0);
        assignment.hold(List.of(assignment.renew(partition(ID))));
        afterwards(INTERVAL);
        afterwardsInSteps(PATIENCE - MOMENT);
        assertThat(transactions.nanosUntilDue()).isPositive();
        assertCounts(0, 0);
        afterwards(MOMENT);
        assertCounts(0, 1);
    }

    /** Reading stops while this closes gaps, for at most a second without progress. */
    @Test
    void finishedInputsBehindAGap_thatFitIntoNoCommit_postponeIt_andStopTheIntakeForAWhile() {
        long gap = tracker.append(0, 1);
        long ignored = written(0);
        assertThat(written(other, 0)).isNotNegative();
        afterwards(INTERVAL);
        assertThat(run.isIntakeHeld()).isTrue();
        assertThat(transactions.isSettled()).isFalse();
        afterwards(SECOND);
        assertThat(run.isIntakeHeld()).isFalse();
        assertThat(transactions.isSettled()).as("an operator may hold the gap").isTrue();
        afterwardsInSteps(PATIENCE - SECOND - MOMENT);
        assertThat(context.failures).isEmpty();
        afterwards(MOMENT);
        assertThat(context.failures).hasSize(1);
        afterwards(SECOND);
        assertThat(context.failures)
                .singleElement()
                .satisfies(scattered -> assertThat(scattered).hasMessageContaining("in-0@0 are not finished"));
        context.failures.clear();
        tracker.ack(gap);
        afterwards(SECOND);
        assertCounts(1, 0);
        assertThat(committedOffsets()).containsOnly(Map.entry(ID, 2L), Map.entry(OTHER, 1L));
        long open = written(1);
        assertThat(transactions.isSettled()).as("the gap is closed").isFalse();
        tracker.ack(open);
    }

    @Test
    void offsetsBehindAGap_withoutRecords_failNothing() {
        long gap = tracker.append(0, 1);
        tracker.ack(tracker.append(1, 1));
        afterwards(SECOND);
        afterwardsInSteps(2 * PATIENCE);
        assertCounts(0, 0);
        tracker.ack(gap);
        afterwards(SECOND);
        assertCounts(1, 0);
        assertThat(run.isIntakeHeld()).isFalse();
    }

    @Test
    void endedInput_isThrough_onceNobodyWorksOnTheRest() {
        run.endInput();
        long held = tracker.append(0, 1);
        long token = written(other, 1);
        afterwards(INTERVAL);
        assertThat(run.isThrough()).as("stages work on both").isFalse();
        tracker.abandon(held);
        other.abandon(token);
        afterwards(SECOND);
        assertThat(run.isThrough()).as("nobody works on them").isTrue();
    }

    @Test
    void endedInput_isThrough_onceNobodyWorksOnAGap() {
        run.endInput();
        long gap = tracker.append(0, 1);
        long ignored = written(0);
        afterwards(INTERVAL);
        assertThat(run.isThrough()).isFalse();
        tracker.abandon(gap);
        afterwards(SECOND);
        assertThat(run.isThrough()).isTrue();
        assertCounts(0, 0);
    }

    /** The sink may wait for this before it ends. */
    @Test
    void endedInput_withNothingToCommit_isReportedToWaitingThreads() throws InterruptedException {
        run.endInput();
        Thread sink = Thread.ofPlatform().daemon().start(() -> {
            run.lock.lock();
            try {
                while (!run.isThrough()) {
                    run.changed.awaitUninterruptibly();
                }
            } finally {
                run.lock.unlock();
            }
        });
        boolean isWaiting = false;
        while (!isWaiting) {
            run.lock.lock();
            try {
                isWaiting = run.lock.hasWaiters(run.changed);
            } finally {
                run.lock.unlock();
            }
        }
        afterwards(SECOND);
        assertThat(sink.join(Duration.ofSeconds(10))).isTrue();
    }

    /** Nothing of another source is committed here. */
    @Test
    void unfinishedInputOfAnotherSource_isNotWaitedFor() {
        long ignored = written(new OffsetTracker(10, () -> {}), 1);
        afterwards(INTERVAL);
        assertCounts(1, 0);
        assertThat(committedOffsets()).isEmpty();
    }

    @Test
    void endedInput_isThrough_onceAllIsCommitted() {
        run.endInput();
        long ignored = written(0);
        afterwards(INTERVAL);
        assertThat(run.isThrough()).isFalse();
        afterwards(SECOND);
        assertThat(run.isThrough()).isTrue();
    }

    // ---- Deleted topics --------------------------------------------------------------------------------------------

    /** The brokers never answer such a commit. */
    @Test
    void commitOfADeletedPartition_isAbandoned_onceItHasBeenMissingForTenSeconds() {
        long ignored = written(0);
        thread.hold();
        afterwards(INTERVAL);
        afterwards(2 * SECOND - 1);
        assertThat(lookups).isZero();
        afterwards(1);
        assertThat(lookups).isEqualTo(1);
        afterwards(1);
        assertThat(lookups).isEqualTo(1);
        existing.clear();
        for (int i = 0; i < 3; i++) {
            afterwards(2 * SECOND);
        }
        assertThat(commits.isGone(ID)).isTrue();
        existing.addAll(Set.of(ID, OTHER));
        afterwards(2 * SECOND);
        assertThat(commits.isGone(ID)).as("a broker had not known it yet").isFalse();
        existing.clear();
        afterwards(2 * SECOND);
        for (int i = 0; i < 4; i++) {
            afterwards(2 * SECOND);
        }
        assertThat(clients).noneMatch(Client::closed);
        afterwards(2 * SECOND);
        assertThat(clients).anyMatch(Client::closed);
        thread.release();
        assertCounts(0, 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"in", "elsewhere"})
    void commitWithTheOldIdOfARecreatedTopic_isAbandoned(String recreated) {
        long ignored = written(0);
        transactions.topicRecreated(recreated);
        whileOffsetsAreSent = () -> afterwards(2 * SECOND);
        thread.hold();
        afterwards(INTERVAL);
        thread.release();
        boolean isIts = recreated.equals("in");
        assertCounts(isIts ? 0 : 1, isIts ? 1 : 0);
        assertThat(Thread.interrupted()).isFalse();
    }
}
