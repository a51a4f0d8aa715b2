package dev.weir.kafka.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.BareContext;
import dev.weir.stream.spi.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What goes on while a record is being sent for which the client has no room. */
@Timeout(60)
class CommitterTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Board<String, String> board = new Board<>(Clock.SYSTEM);
    private final BareContext context = new BareContext();
    private final TransactionCounts counts = new TransactionCounts();
    private final Committer<String, String> committer =
            new Committer<>(board, context, counts, null, number -> new Blocking());
    private final CountDownLatch room = new CountDownLatch(1);
    private final CountDownLatch inSend = new CountDownLatch(1);

    @BeforeEach
    void start() throws InterruptedException {
        committer.start();
        await(() -> board.free.size() == Committer.PRODUCERS);
    }

    @AfterEach
    void close() {
        room.countDown();
        committer.close();
    }

    /** Whatever changes on the board is signalled. */
    private void await(BooleanSupplier condition) throws InterruptedException {
        board.lock.lockInterruptibly();
        try {
            long left = PATIENCE.toNanos();
            while (!condition.getAsBoolean()) {
                assertThat(left).as("nanoseconds left").isPositive();
                left = board.changed.awaitNanos(left);
            }
        } finally {
            board.lock.unlock();
        }
    }

    private OpenTransaction<String, String> begun() {
        board.lock.lock();
        try {
            committer.begin();
            return Objects.requireNonNull(board.filling);
        } finally {
            board.lock.unlock();
        }
    }

    @SuppressWarnings("removal") // the client gives one out to members of a group only
    private Cut<String, String> cut(OpenTransaction<String, String> transaction) {
        return new Cut<>(transaction, Map.of(), List.of(), new ConsumerGroupMetadata("group"));
    }

    /** Sends as the sink does. */
    private Thread sending(OpenTransaction<String, String> transaction) throws InterruptedException {
        Thread sink = Thread.ofPlatform().start(() -> {
            board.lock.lock();
            try {
                board.send(() -> transaction.producer.send(new ProducerRecord<>("out", "blocked"), transaction));
            } catch (KafkaException brokenOff) {
                // As it should be if the transaction is aborted.
            } finally {
                board.lock.unlock();
            }
        });
        inSend.await();
        return sink;
    }

    // The sink held the lock in send, for max.block.ms, and a commit that was through could not be taken up.
    @Test
    void commit_whileARecordOfTheNextIsBeingSent_isTakenUp() throws Exception {
        Cut<String, String> first = cut(begun());
        board.lock.lock();
        try {
            board.filling = null;
            board.committing = first;
        } finally {
            board.lock.unlock();
        }
        OpenTransaction<String, String> second = begun();
        Thread sink = sending(second);
        committer.commit(first);
        await(() -> board.committing == null);
        assertThat(board.confirmed).containsExactly(first);
        assertThat(sink.isAlive()).isTrue();
        assertThat(board.filling).isSameAs(second);
        room.countDown();
        sink.join();
    }

    @Test
    void abort_whileARecordIsBeingSent_breaksThatOff_andReplacesTheProducer() throws Exception {
        OpenTransaction<String, String> filling = begun();
        var before = filling.producer.client.client();
        Thread sink = sending(filling);
        committer.abortFilling(new KafkaException("planned"));
        await(() -> board.rewindDue);
        sink.join();
        assertThat(board.filling).isNull();
        assertThat(filling.producer.client.client()).isNotSameAs(before);
        assertThat(board.free).hasSize(Committer.PRODUCERS);
        assertThat(counts.snapshot().aborted()).isEqualTo(1);
        assertThat(context.failures).isEmpty();
    }

    // The offsets of the aborted transaction went into the next one of its producer: inputs were lost. A simulation
    // found it.
    @Test
    void commit_ofATransactionThatARefusalHasAbortedBefore_isNotMade() throws Exception {
        Cut<String, String> cut = cut(begun());
        board.lock.lock();
        try {
            board.filling = null;
            board.committing = cut;
            // In this order, as a refusal comes on the client's thread just before the owner makes the cut.
            committer.refused(cut.transaction(), new TimeoutException("a batch has expired"));
            committer.commit(cut);
            committer.commit(cut);
        } finally {
            board.lock.unlock();
        }
        await(() -> board.rewindDue && board.free.size() == Committer.PRODUCERS);
        board.lock.lock();
        try {
            board.goOn(false);
        } finally {
            board.lock.unlock();
        }
        OpenTransaction<String, String> other = begun();
        OpenTransaction<String, String> next = begun();
        assertThat(next.producer).as("that of the aborted one").isSameAs(cut.transaction().producer);
        assertThat(counts.snapshot().aborted()).isEqualTo(1);
        committer.commit(cut);
        MockProducer<String, String> client = client(cut);
        committer.close();
        assertThat(other.producer).isNotSameAs(next.producer);
        assertThat(client.commitCount()).isZero();
        assertThat(counts.snapshot().committed()).isZero();
        assertThat(context.failures).isEmpty();
    }

    /** Makes what is begun now the one that is committed. */
    private Cut<String, String> committing() {
        Cut<String, String> cut = cut(begun());
        board.lock.lock();
        try {
            board.filling = null;
            board.committing = cut;
        } finally {
            board.lock.unlock();
        }
        return cut;
    }

    private static MockProducer<String, String> client(Cut<String, String> cut) {
        return (MockProducer<String, String>)
                Objects.requireNonNull(cut.transaction().producer.client.client());
    }

    /** Written again from memory, what has come through all the same would be there twice. */
    @Test
    void commitOfUnknownOutcome_hasTheInputsReadAgain() throws Exception {
        board.keeps = true;
        Cut<String, String> cut = committing();
        client(cut).commitTransactionException = new KafkaException("the answer was lost");
        committer.commit(cut);
        await(() -> board.rewindDue);
        assertThat(board.mayWriteAgain()).isFalse();
        assertThat(board.confirmed).isEmpty();
        assertThat(counts.snapshot().committed()).isZero();
        assertThat(counts.snapshot().aborted()).isEqualTo(1);
        board.lock.lock();
        try {
            board.goOn(false);
            assertThat(board.mayWriteAgain()).as("once they are read again").isTrue();
            board.keeps = false;
            assertThat(board.mayWriteAgain()).isFalse();
        } finally {
            board.lock.unlock();
        }
    }

    @Test
    void commitThatWasNotAskedFor_letsTheRecordsBeWrittenAgain() throws Exception {
        board.keeps = true;
        Cut<String, String> cut = committing();
        client(cut).flushException = new KafkaException("a batch has expired");
        committer.commit(cut);
        await(() -> board.rewindDue);
        assertThat(board.mayWriteAgain()).isTrue();
        assertThat(board.committing).isNull();
    }

    /** With a record refused, the client asks no coordinator: nothing can have come through. */
    @Test
    void commitWithARefusedRecord_letsTheRecordsBeWrittenAgain() throws Exception {
        board.keeps = true;
        Cut<String, String> cut = committing();
        client(cut).commitTransactionException = new KafkaException("a record was refused");
        board.aborting = true; // The refusal itself comes too late to abort.
        cut.transaction().onCompletion(null, new TimeoutException("a batch has expired"));
        committer.commit(cut);
        await(() -> board.rewindDue);
        assertThat(board.mayWriteAgain()).isTrue();
    }

    /** A client whose send waits for room, until it is closed. */
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // others use it meanwhile, as they do Kafka's
    private final class Blocking extends MockProducer<String, String> {

        private volatile boolean brokenOff;

        Blocking() {
            super(true, null, new StringSerializer(), new StringSerializer());
        }

        @Override
        public Future<RecordMetadata> send(ProducerRecord<String, String> record, Callback callback) {
            inSend.countDown();
            try {
                assertThat(room.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
            if (brokenOff) {
                throw new KafkaException("closed while a send was in progress");
            }
            return super.send(record, callback);
        }

        @Override
        public void abortTransaction() {
            if (brokenOff) {
                throw new IllegalStateException("closed");
            }
            super.abortTransaction();
        }

        @Override
        public void close(Duration timeout) {
            brokenOff = true;
            room.countDown();
            super.close(timeout);
        }
    }
}
