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
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;
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

/** A run whose commits and aborts happen on the test's thread, in time that passes while something is waited for. */
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

    private final TransactionsOfRun<String, String> board = new TransactionsOfRun<>(Clock.SYSTEM, clock, true);
    private final TransactionCommitter<String, String> committer = new TransactionCommitter<>(
            board,
            new BareContext(),
            new TransactionCounts(),
            null,
            number -> new MockProducer<>(true, null, new StringSerializer(), new StringSerializer()),
            new OwnThread());
    private final OffsetTracker source = new OffsetTracker(10, () -> {});

    private static final class OwnThread extends AbstractExecutorService {

        @Override
        public void execute(Runnable work) {
            work.run();
        }

        @Override
        public void shutdown() {}

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return true;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }

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
        board.lock.lock();
        try {
            committer.begin();
            return Objects.requireNonNull(board.filling());
        } finally {
            board.lock.unlock();
        }
    }

    private void abort() {
        committer.abortFilling(new KafkaException("planned"));
        assertThat(board.state()).isEqualTo(TransactionState.ABORTED);
    }

    private void resume() {
        board.lock.lock();
        try {
            board.resume(true);
        } finally {
            board.lock.unlock();
        }
    }

    @SuppressWarnings("removal") // the client gives one out to members of a group only
    private void commit(OpenTransaction<String, String> transaction) {
        var cut = new TransactionCut<>(transaction, Map.of(), List.of(), new ConsumerGroupMetadata("group"));
        board.lock.lock();
        try {
            board.cut(cut);
        } finally {
            board.lock.unlock();
        }
        committer.commit(cut);
        assertThat(board.state()).isEqualTo(TransactionState.IDLE);
        assertThat(board.confirmed.remove()).isSameAs(cut);
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
        assertThat(board.freeProducers()).isEqualTo(TransactionCommitter.PRODUCERS);
        OpenTransaction<String, String> first = begin();
        assertThat(board.freeProducers()).isEqualTo(TransactionCommitter.PRODUCERS - 1);
        commit(first);
        assertThat(board.freeProducers()).isEqualTo(TransactionCommitter.PRODUCERS);
        begin();
        abort();
        assertThat(board.freeProducers()).isEqualTo(TransactionCommitter.PRODUCERS);
        assertThat(board.mayBegin()).as("its inputs are not read again yet").isFalse();
        resume();
        assertThat(board.mayBegin()).isTrue();
    }

    /** The cut for which it was stopped is not made. */
    @Test
    void intakeThatIsStoppedForACut_goesOnAfterAnAbort() {
        begin();
        board.lock.lock();
        try {
            board.cutLater(true);
        } finally {
            board.lock.unlock();
        }
        assertThat(board.isIntakeHeld()).isTrue();
        assertThat(board.isCutWanted()).isTrue();
        abort();
        assertThat(board.isCutWanted()).isFalse();
        resume();
        assertThat(board.isIntakeHeld()).isFalse();
    }

    /** They go before anything else, whatever inputs they have. */
    @Test
    void transactionIsNotClosing_whileAbortedRecordsAreToBeWrittenAgain() {
        OpenTransaction<String, String> aborted = begin();
        aborted.sent(source, 0, null);
        Objects.requireNonNull(aborted.kept)
                .add(new TransactionRecord<>(new ProducerRecord<>("out", "value"), new Header[0], source, 0, false));
        abort();
        assertThat(board.aborted.isLost(source)).as("of its open input").isTrue();
        resume();
        assertThat(board.aborted.isLost(source)).isFalse();
        begin().sent(source, 1, null);
        board.wantCut();
        assertThat(board.isClosing()).isFalse();
        board.aborted.done(Objects.requireNonNull(board.aborted.next()));
        assertThat(board.isClosing()).isTrue();
        board.endInput();
        assertThat(board.isClosing()).as("nothing more comes").isFalse();
    }

    @Test
    void input_isThrough_onceItHasEndedAndNothingIsLeft() {
        board.noteThrough(true);
        assertThat(board.isThrough()).isFalse();
        assertThat(board.isInputEnded()).isFalse();
        board.endInput();
        assertThat(board.isInputEnded()).isTrue();
        assertThat(board.isThrough()).isFalse();
        board.noteThrough(true);
        assertThat(board.isThrough()).isTrue();
        assertThat(board.isInputEnded()).isTrue();
        board.noteThrough(false);
        assertThat(board.isThrough()).as("an abort brings work back").isFalse();
    }
}
