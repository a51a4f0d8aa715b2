package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.lookup.ConsumerPhase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what the owner of the consumer commits before it gives up partitions, and after an abort. */
class LastTransactionsTest extends ConsumerTransactionsCase {

    // ---- Revoked partitions ----------------------------------------------------------------------------------------

    @Test
    void inputThatIsStillWorkedOn_asItsPartitionGoes_isWaitedFor() {
        long token = written(1);
        whileTheOwnerWaits = () -> tracker.ack(token);
        List<AssignedPartition> going = assignment.withdraw(Set.of(ID));
        transactions.releasing(going);
        assertThat(run.leaving).containsExactly(tracker);
        transactions.commitNow(TIMEOUT_NANOS);
        assertCounts(1, 0);
        assertThat(commits.succeeded()).isEqualTo(1);
        assertThat(committedOffsets()).containsExactly(Map.entry(ID, 1L));
        assertThat(run.leaving).isEmpty();
    }

    @Test
    void inputThatNobodyWorksOn_asItsPartitionGoes_isAborted() {
        long token = written(1);
        tracker.abandon(token);
        List<AssignedPartition> going = assignment.withdraw(Set.of(ID));
        transactions.releasing(going);
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> transactions.commitNow(TIMEOUT_NANOS))
                .withMessageContaining("only a part of the results of in-0@0");
        assertThat(run.state()).isEqualTo(TransactionState.ABORTED);
        assertCounts(0, 1);
        assertThat(commits.failed()).isEqualTo(1);
        assertThat(run.leaving).isEmpty();
    }

    /** The elements of these partitions may be written until the cut, and not later. */
    @Test
    void elementsOfALeavingPartition_areWrittenNoMore_onceTheTransactionIsCut() {
        long ignored = written(0);
        transactions.releasing(assignment.withdraw(Set.of(ID)));
        thread.hold();
        List<Set<?>> leaving = new ArrayList<>();
        whileTheOwnerWaits = () -> {
            leaving.add(run.leaving);
            thread.release();
        };
        transactions.commitNow(TIMEOUT_NANOS);
        assertThat(leaving).containsExactly(Set.of());
        assertCounts(1, 0);
    }

    @Test
    void commitAtTheEnd_withNothingFinished_returnsAtOnce() {
        long before = nowNanos;
        transactions.commitNow(TIMEOUT_NANOS);
        assertThat(nowNanos).isEqualTo(before);
        assertCounts(0, 0);
        assertThat(commits.failed()).isZero();
    }

    @Test
    void inputThatIsNotFinishedInTime_isAborted() {
        long ignored = written(1);
        long before = nowNanos;
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> transactions.commitNow(SECOND))
                .withMessageContaining("could not be committed in time");
        assertThat(nowNanos - before).isGreaterThanOrEqualTo(SECOND);
        assertCounts(0, 1);
        assertThat(commits.failed()).isEqualTo(1);
    }

    @Test
    void ownerThatDoesNotGetTheLockInTime_abortsTheTransaction() throws InterruptedException {
        long ignored = written(0);
        CountDownLatch locked = new CountDownLatch(1);
        Thread foreign = Thread.ofPlatform().daemon().start(() -> {
            run.lock.lock();
            try {
                locked.countDown();
                while (!run.lock.hasQueuedThreads()) {
                    Thread.onSpinWait();
                }
            } finally {
                run.lock.unlock();
            }
        });
        locked.await();
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> transactions.commitNow(0))
                .withMessageContaining("could not be committed in time");
        foreign.join();
        assertCounts(0, 1);
    }

    @Test
    void commitWithoutAnAnswerInTime_isNotAborted() {
        long ignored = written(0);
        thread.hold();
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> transactions.commitNow(SECOND))
                .withMessageContaining("could not be committed in time");
        assertThat(run.state()).isEqualTo(TransactionState.FLUSHING);
        assertThat(commits.failed()).isEqualTo(1);
        thread.release();
        assertCounts(1, 0);
    }

    @Test
    void commitThatIsAborted_whileTheOwnerWaitsForIt_fails() {
        long ignored = written(0);
        clients.forEach(each -> each.commitTransactionException = new KafkaException("planned"));
        thread.hold();
        whileTheOwnerWaits = thread::release;
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> transactions.commitNow(TIMEOUT_NANOS))
                .withMessage("a transaction was aborted; its inputs are read again");
        assertCounts(0, 1);
    }

    @Test
    void abortThatIsNotOverYet_letsTheLastCommitFail() {
        long ignored = written(0);
        thread.hold();
        committer.abortFilling(new KafkaException("planned"));
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> transactions.commitNow(TIMEOUT_NANOS))
                .withMessage("a transaction was aborted; its inputs are read again");
        assertThat(commits.failed()).isEqualTo(1);
    }

    @Test
    void ownerThatIsInterrupted_whileItWaits_staysInterrupted() {
        long ignored = written(0);
        thread.hold();
        whileTheOwnerWaits = () -> Thread.currentThread().interrupt();
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> transactions.commitNow(TIMEOUT_NANOS))
                .withCauseInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void pipelineThatHasFailed_commitsNothingAtItsEnd_andAbortsWhatIsOpen() {
        long ignored = written(0);
        failure = new IllegalStateException("planned");
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> transactions.commitNow(TIMEOUT_NANOS))
                .withMessage("the open transaction is aborted, its inputs are read again");
        assertThat(run.state()).isEqualTo(TransactionState.ABORTED);
        assertCounts(0, 1);
    }

    @Test
    void pipelineThatHasFailed_withNothingOpen_commitsNothingAtItsEnd() {
        tracker.ack(tracker.append(0, 1));
        failure = new IllegalStateException("planned");
        transactions.commitNow(TIMEOUT_NANOS);
        assertThat(run.state()).isEqualTo(TransactionState.IDLE);
        assertCounts(0, 0);
    }

    @Test
    void lostPartitions_haveTheOpenTransactionAborted_andAlsoARunningCommit() {
        transactions.lost();
        assertThat(run.state()).isEqualTo(TransactionState.IDLE);
        long ignored = written(0);
        transactions.lost();
        assertCounts(0, 1);
        transactions.commitIfDue();
        run.emits(partition(ID).tracker());
        long again = written(other, 0);
        thread.hold();
        afterwards(INTERVAL);
        assertThat(run.state()).isEqualTo(TransactionState.FLUSHING);
        transactions.lost();
        assertThat(run.state()).isEqualTo(TransactionState.ABORT_ASKED);
        assertThat(again).isZero();
    }

    // ---- After an abort --------------------------------------------------------------------------------------------

    @Test
    void abort_countsAsAFailedCommit_andHasItsInputsReadAgain() {
        long ignored = written(0);
        committer.abortFilling(new KafkaException("planned"));
        assertThat(run.state()).isEqualTo(TransactionState.ABORTED);
        assertThat(transactions.nanosUntilDue()).isZero();
        transactions.commitIfDue();
        assertThat(commits.failed()).isEqualTo(1);
        assertThat(tracker.isRevoked(0)).isTrue();
        assertThat(restarted).containsExactly(ID);
        assertThat(partition(OTHER).tracker()).as("of nothing aborted").isSameAs(other);
        assertThat(run.state()).isEqualTo(TransactionState.IDLE);
    }

    @Test
    void abort_ofAnUnfinishedInput_hasItReadAgain_andReportsItsRecordsAsDropped() {
        long ignored = written(other, 1);
        committer.abortFilling(new KafkaException("planned"));
        transactions.commitIfDue();
        assertThat(restarted).containsExactly(OTHER);
        assertThat(dropped.dropped(true)).singleElement().satisfies(range -> {
            assertThat(range.partition()).isEqualTo(1);
            assertThat(range.reason()).isEqualTo("aborted");
        });
    }

    @Test
    void abort_leavesAPartitionAloneThatHasNoPosition() {
        long ignored = written(0);
        assignment.hold(List.of(partition(ID)));
        committer.abortFilling(new KafkaException("planned"));
        transactions.commitIfDue();
        assertThat(restarted).isEmpty();
        assertThat(commits.failed()).isEqualTo(1);
    }

    /** The partition's next owner must read the aborted records. */
    @Test
    void offsetsOfAbortedRecords_areNotCommitted_whenTheirPartitionGoes() {
        long ignored = written(0);
        long unwritten = other.append(0, 1);
        transactions.releasing(assignment.withdraw(Set.of(ID, OTHER)));
        committer.abortFilling(new KafkaException("planned"));
        whileTheOwnerWaits = () -> {};
        transactions.commitNow(TIMEOUT_NANOS);
        assertThat(committedOffsets()).isEmpty();
        assertThat(unwritten).isZero();
        assertCounts(0, 1);
    }

    @Test
    void offsetsOfALeavingPartition_withoutAbortedRecords_areStillCommitted() {
        long ignored = written(0);
        transactions.releasing(assignment.withdraw(Set.of(ID, OTHER)));
        committer.abortFilling(new KafkaException("planned"));
        transactions.commitIfDue();
        long token = written(other, 1);
        whileTheOwnerWaits = () -> other.ack(token);
        transactions.commitNow(TIMEOUT_NANOS);
        assertThat(committedOffsets()).containsExactly(Map.entry(OTHER, 1L));
        assertCounts(1, 1);
    }

    /** Some of the finished offsets may belong to aborted records. */
    @Test
    void abort_restartsAPartition_whoseFinishedOffsetsFitIntoNoCommit() {
        long gap = other.append(0, 1);
        other.ack(other.append(1, 1));
        long ignored = written(0);
        committer.abortFilling(new KafkaException("planned"));
        transactions.commitIfDue();
        assertThat(restarted).containsExactly(ID, OTHER);
        assertThat(gap).isZero();
    }

    @Test
    void abort_endsTheStateInWhichOffsetsFitIntoNoCommit() {
        long gap = tracker.append(0, 1);
        long ignored = written(0);
        afterwards(INTERVAL);
        afterwards(SECOND);
        assertThat(transactions.isSettled()).isTrue();
        committer.abortFilling(new KafkaException("planned"));
        transactions.commitIfDue();
        assertThat(written(other, 0)).isNotNegative();
        assertThat(transactions.isSettled()).isFalse();
        assertThat(gap).isZero();
    }

    @Test
    void abort_restartsADeletedPartition() {
        existing.remove(OTHER);
        commits.lookForGone(Set.of(OTHER));
        long ignored = written(0);
        committer.abortFilling(new KafkaException("planned"));
        transactions.commitIfDue();
        assertThat(restarted).containsExactly(ID, OTHER);
    }

    @Test
    void abortAtTheEnd_ofNothing_letsTheLastCommitSucceed() {
        run.lock.lock();
        try {
            committer.begin();
        } finally {
            run.lock.unlock();
        }
        run.endInput();
        committer.abortFilling(new KafkaException("planned"));
        transactions.commitNow(TIMEOUT_NANOS);
        assertThat(restarted).isEmpty();
        assertCounts(0, 1);
    }

    /** Nothing is read again at the end of the input, so only the next run can repeat it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void abortAtTheEnd_withoutKeptRecords_letsTheLastCommitFail(boolean hasFurtherRecords) {
        long ignored = written(0);
        run.endInput();
        committer.abortFilling(new KafkaException("planned"));
        transactions.commitIfDue();
        if (hasFurtherRecords) {
            assertThat(written(other, 0)).isNotNegative();
        }
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> transactions.commitNow(TIMEOUT_NANOS))
                .withMessage("the last transaction was aborted; the next run reads its inputs again, of [in-0]");
        assertCounts(0, hasFurtherRecords ? 2 : 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void abortAtTheEnd_withKeptRecords_hasThemWrittenAgain(boolean isConsumerEnding) {
        committer.close();
        begin(INTERVAL, true);
        long ignored = written(0);
        if (isConsumerEnding) {
            phase = ConsumerPhase.STOPPED;
        } else {
            run.endInput();
        }
        committer.abortFilling(new KafkaException("planned"));
        transactions.commitIfDue();
        assertThat(restarted).isEmpty();
        assertThat(run.aborted.waiting()).hasSize(1);
        afterwards(SECOND);
        assertThat(committedOffsets()).as("not before they are written").isEmpty();
        assertThat(run.isCutWanted()).isTrue();
        run.aborted.done(Objects.requireNonNull(run.aborted.next()));
        transactions.commitNow(TIMEOUT_NANOS);
        assertThat(committedOffsets()).containsExactly(Map.entry(ID, 1L));
    }

    @Test
    void abortBeforeTheEnd_withKeptRecords_hasTheirInputsReadAgain() {
        committer.close();
        begin(INTERVAL, true);
        long ignored = written(0);
        committer.abortFilling(new KafkaException("planned"));
        transactions.commitIfDue();
        assertThat(restarted).containsExactly(ID);
        assertThat(run.aborted.waiting()).isEmpty();
        transactions.commitNow(TIMEOUT_NANOS);
    }

    /** The owner reads the recreated topic instead, so the end is reported only while the partition is missing. */
    @Test
    void abortAtTheEnd_ofADeletedPartition_letsTheLastCommitFail() {
        committer.close();
        begin(INTERVAL, true);
        long ignored = written(0);
        assertThat(written(other, 0)).isNotNegative();
        run.endInput();
        existing.remove(ID);
        commits.lookForGone(Set.of(ID, OTHER));
        committer.abortFilling(new KafkaException("planned"));
        transactions.commitIfDue();
        assertThat(restarted).containsExactly(ID);
        run.aborted.waiting().forEach(run.aborted::done);
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> transactions.commitNow(TIMEOUT_NANOS))
                .withMessageContaining("the next run reads its inputs again, of [in-0]");
        AssignedPartition next = assignment.renew(partition(ID));
        transactions.commitNow(TIMEOUT_NANOS);
        assertThat(assignment.isCurrent(next)).isTrue();
    }
}
