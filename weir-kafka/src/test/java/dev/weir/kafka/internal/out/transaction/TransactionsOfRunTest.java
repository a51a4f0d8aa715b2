package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests a run that commits and aborts on the test's thread. Waiting advances the clock. */
class TransactionsOfRunTest {

    private final List<Duration> pauses = new ArrayList<>();

    private final Clock clock = new Clock() {
        private long nowNanos = 7;

        @Override
        public long nanoTime() {
            return nowNanos;
        }

        @Override
        public void await(Lock lock, Condition condition, long deadlineNanos) {
            pauses.add(Duration.ofNanos(deadlineNanos - nowNanos));
            nowNanos = deadlineNanos;
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
}
