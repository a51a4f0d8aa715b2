package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.kafka.internal.BareContext;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a run that commits and aborts on the test's thread. Waiting advances the clock. */
class TransactionsOfRunTest {

    private final List<Duration> pauses = new ArrayList<>();
    private boolean interrupts;

    private final Clock clock = new Clock() {
        private long nowNanos = 7;

        @Override
        public long nanoTime() {
            return nowNanos;
        }

        @Override
        public void await(Lock lock, Condition condition, long deadlineNanos) throws InterruptedException {
            pauses.add(Duration.ofNanos(deadlineNanos - nowNanos));
            nowNanos = deadlineNanos;
            if (interrupts) {
                throw new InterruptedException();
            }
        }
    };

    private final TransactionsOfRun<String, String> run = new TransactionsOfRun<>(Clock.SYSTEM, clock, true);
    private final TransactionCommitter<String, String> committer = new TransactionCommitter<>(
            run,
            new BareContext(),
            new TransactionCounts(),
            null,
            number -> new MockProducer<>(true, null, new StringSerializer(), new StringSerializer()),
            new CallingThread());
    private final OffsetTracker source = new OffsetTracker(10, () -> {});

    @BeforeEach
    void start() {
        committer.start();
        source.append(0, 1);
        source.append(1, 1);
        source.retain(0, 1);
        source.retain(1, 1);
    }

    @AfterEach
    void close() {
        committer.close();
    }

    private OpenTransaction<String, String> begin() {
        run.lock.lock();
        try {
            committer.begin();
            return Objects.requireNonNull(run.filling());
        } finally {
            run.lock.unlock();
        }
    }

    private void abort() {
        committer.abortFilling(new KafkaException("planned"));
        assertThat(run.state()).isEqualTo(TransactionState.ABORTED);
    }

    private void resume() {
        run.lock.lock();
        try {
            run.resume(true);
        } finally {
            run.lock.unlock();
        }
    }

    @SuppressWarnings("removal") // the only way to create this object without a client in a group
    private void commit(OpenTransaction<String, String> transaction) {
        var cut = new TransactionCut<>(transaction, Map.of(), List.of(), new ConsumerGroupMetadata("group"));
        run.lock.lock();
        try {
            run.cut(cut);
        } finally {
            run.lock.unlock();
        }
        committer.commit(cut);
        assertThat(run.state()).isEqualTo(TransactionState.IDLE);
        assertThat(run.confirmed.remove()).isSameAs(cut);
    }

    @Test
    void pauseAfterAnAbort_grows_untilATransactionIsCommitted() {
        for (int aborted = 0; aborted < 3; aborted++) {
            begin();
            abort();
            resume();
        }
        assertThat(pauses).containsExactly(Duration.ofMillis(50), Duration.ofMillis(100), Duration.ofMillis(200));
        commit(begin());
        begin();
        abort();
        assertThat(pauses).hasSize(4).endsWith(Duration.ofMillis(50));
    }

    @Test
    void producers_areFreeAgain_afterACommitAndAfterAnAbort() {
        assertThat(run.freeProducers()).isEqualTo(TransactionCommitter.PRODUCERS);
        OpenTransaction<String, String> first = begin();
        assertThat(run.freeProducers()).isEqualTo(TransactionCommitter.PRODUCERS - 1);
        commit(first);
        assertThat(run.freeProducers()).isEqualTo(TransactionCommitter.PRODUCERS);
        begin();
        abort();
        assertThat(run.freeProducers()).isEqualTo(TransactionCommitter.PRODUCERS);
        assertThat(run.mayBegin()).as("its inputs are not read again yet").isFalse();
        resume();
        assertThat(run.mayBegin()).isTrue();
    }

    /** The sink stopped accepting records for a commit, but the transaction is aborted. */
    @Test
    void intakeThatIsStoppedForACut_goesOnAfterAnAbort() {
        begin();
        run.lock.lock();
        try {
            run.cutLater(true);
        } finally {
            run.lock.unlock();
        }
        assertThat(run.isIntakeHeld()).isTrue();
        assertThat(run.isCutWanted()).isTrue();
        abort();
        assertThat(run.isCutWanted()).isFalse();
        resume();
        assertThat(run.isIntakeHeld()).isFalse();
    }

    @Test
    void transactionIsNotClosing_whileAbortedRecordsAreToBeWrittenAgain() {
        OpenTransaction<String, String> aborted = begin();
        aborted.sent(source, 0, null);
        Objects.requireNonNull(aborted.kept)
                .add(new TransactionRecord<>(new ProducerRecord<>("out", "value"), new Header[0], source, 0, false));
        abort();
        assertThat(run.aborted.isLost(source)).as("of its open input").isTrue();
        resume();
        assertThat(run.aborted.isLost(source)).isFalse();
        begin().sent(source, 1, null);
        run.wantCut();
        assertThat(run.isClosing()).isFalse();
        run.aborted.done(Objects.requireNonNull(run.aborted.next()));
        assertThat(run.isClosing()).isTrue();
        run.endInput();
        assertThat(run.isClosing()).as("nothing more comes").isFalse();
    }

    @Test
    void input_isThrough_onceItHasEndedAndNothingIsLeft() {
        run.noteThrough(true);
        assertThat(run.isThrough()).isFalse();
        assertThat(run.isInputEnded()).isFalse();
        run.endInput();
        assertThat(run.isInputEnded()).isTrue();
        assertThat(run.isThrough()).isFalse();
        run.noteThrough(true);
        assertThat(run.isThrough()).isTrue();
        assertThat(run.isInputEnded()).isTrue();
        run.noteThrough(false);
        assertThat(run.isThrough()).as("an abort brings work back").isFalse();
    }

    /** Begins to commit the transaction. The brokers have its records. */
    @SuppressWarnings("removal") // the only way to create this object without a client in a group
    private TransactionCut<String, String> committing(OpenTransaction<String, String> transaction) {
        var cut = new TransactionCut<>(transaction, Map.of(), List.of(), new ConsumerGroupMetadata("group"));
        run.lock.lock();
        try {
            run.cut(cut);
        } finally {
            run.lock.unlock();
        }
        run.flushed();
        return cut;
    }

    private List<OpenTransaction<String, String>> takeOpen() {
        run.lock.lock();
        try {
            return run.takeOpen();
        } finally {
            run.lock.unlock();
        }
    }

    @Test
    void abort_isAskedForOnce_andNotAfterTheEnd() {
        assertThat(run.abortAsAsked()).isFalse();
        begin();
        assertThat(run.askAbort()).isTrue();
        assertThat(run.askAbort()).isFalse();
        assertThat(run.abortAsAsked()).isTrue();
        assertThat(run.state()).isEqualTo(TransactionState.ABORTING);
        assertThat(run.abortAsAsked()).isFalse();
        OpenTransaction<String, String> open = run.filling();
        assertThat(open).isNotNull();
        assertThat(run.end()).isSameAs(open);
        assertThat(run.isEnded()).isTrue();
        assertThat(run.filling()).isNull();
        assertThat(run.end()).isNull();
        assertThat(run.askAbort()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusalInAnOpenTransaction_abortsAll_theOldestFirst(boolean ofTheCommittedOne) {
        OpenTransaction<String, String> first = begin();
        TransactionCut<String, String> cut = committing(first);
        OpenTransaction<String, String> second = begin();
        assertThat(run.committing()).isSameAs(cut);
        assertThat(run.abortRefused(ofTheCommittedOne ? first : second)).isTrue();
        assertThat(run.state()).isEqualTo(TransactionState.ABORTING);
        assertThat(run.abortRefused(first)).as("while that is aborted").isFalse();
        assertThat(takeOpen()).containsExactly(first, second);
        assertThat(run.filling()).isNull();
        run.finishAbort(List.of(first, second));
        assertThat(run.state()).isEqualTo(TransactionState.ABORTED);
        assertThat(run.committing()).isNull();
        assertThat(run.freeProducers()).isEqualTo(TransactionCommitter.PRODUCERS);
    }

    @Test
    void refusalInATransactionThatIsOver_abortsNothing() {
        OpenTransaction<String, String> first = begin();
        commit(first);
        assertThat(run.abortRefused(first)).isFalse();
        OpenTransaction<String, String> second = begin();
        assertThat(run.abortRefused(first)).isFalse();
        TransactionCut<String, String> cut = committing(second);
        assertThat(run.abortRefused(first)).isFalse();
        assertThat(run.askAbort()).isTrue();
        assertThat(run.abortRefused(second)).as("asked for already").isFalse();
        run.committed(cut);
        assertThat(run.state()).isEqualTo(TransactionState.ABORT_ASKED);
    }

    @Test
    void failedCommit_hasTheInputsReadAgain_onlyIfItMayHaveSucceeded() {
        committing(begin());
        run.abortFailed(false);
        assertThat(run.aborted.mayWriteAgain()).isTrue();
        run.finishAbort(takeOpen());
        resume();
        committing(begin());
        run.abortFailed(true);
        assertThat(run.aborted.mayWriteAgain()).isFalse();
        assertThat(run.state()).isEqualTo(TransactionState.ABORTING);
    }

    @Test
    void dueTransaction_isClosing_whileItWaitsForInputs_andNoOtherIsCommitted() {
        run.wantCut();
        assertThat(run.isClosing()).as("nothing is open").isFalse();
        OpenTransaction<String, String> first = begin();
        assertThat(run.isClosing()).as("no input is unfinished").isFalse();
        first.sent(source, 0, null);
        assertThat(run.isClosing()).isTrue();
        run.lock.lock();
        try {
            run.cutLater(true);
            assertThat(run.isClosing()).isTrue();
            run.clearCut();
        } finally {
            run.lock.unlock();
        }
        assertThat(run.isIntakeHeld()).isFalse();
        assertThat(run.isClosing()).as("not due").isFalse();
        TransactionCut<String, String> cut = committing(first);
        run.wantCut();
        begin().sent(source, 1, null);
        assertThat(run.isClosing()).as("another one is committed").isFalse();
        run.committed(cut);
        assertThat(run.isClosing()).isTrue();
    }

    @Test
    void elements_areForeign_unlessTheirSourceIsOfTheRunOrRevoked() {
        OffsetTracker other = new OffsetTracker(10, () -> {});
        run.emits(source);
        assertThat(run.isForeign(other, 0)).isTrue();
        run.emits(other);
        run.emits(other);
        assertThat(run.isForeign(other, 0)).isFalse();
        assertThat(run.isForeign(source, 0)).isFalse();
        source.revoke();
        run.emits(new OffsetTracker(10, () -> {}));
        assertThat(run.isForeign(source, 0)).as("its elements are dropped").isFalse();
        assertThat(run.isForeign(other, 0)).isFalse();
    }

    @Test
    void send_isAwaitedWithoutTheLock_untilItEndsOrTheTimeIsOver() throws InterruptedException {
        List<Boolean> seen = new ArrayList<>();
        run.lock.lock();
        try {
            assertThat(run.awaitSent(5)).isTrue();
            assertThat(pauses).isEmpty();
            run.send(() -> {
                seen.add(run.lock.isHeldByCurrentThread());
                run.lock.lock();
                try {
                    seen.add(run.isSending());
                    seen.add(run.awaitSent(5));
                    seen.add(run.isSending());
                } catch (InterruptedException impossible) {
                    throw new AssertionError(impossible);
                } finally {
                    run.lock.unlock();
                }
            });
            assertThat(seen).containsExactly(false, true, false, true);
            assertThat(pauses).containsExactly(Duration.ofNanos(5));
            assertThat(run.isSending()).isFalse();
            assertThat(run.lock.isHeldByCurrentThread()).isTrue();
            assertThatIllegalStateException()
                    .isThrownBy(() -> run.send(() -> {
                        throw new IllegalStateException("planned");
                    }));
            assertThat(run.isSending()).isFalse();
        } finally {
            run.lock.unlock();
        }
        assertThat(run.lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void pause_endsWithTheRun_orWithAnInterrupt() {
        run.pause(Duration.ofNanos(5));
        assertThat(pauses).containsExactly(Duration.ofNanos(5));
        interrupts = true;
        assertThatExceptionOfType(InterruptException.class).isThrownBy(() -> run.pause(Duration.ofNanos(5)));
        assertThat(Thread.interrupted()).isTrue();
        interrupts = false;
        OpenTransaction<String, String> none = run.end();
        assertThat(none).isNull();
        run.pause(Duration.ofNanos(5));
        assertThat(pauses).hasSize(2);
        assertThat(run.lock.isLocked()).isFalse();
    }
}
