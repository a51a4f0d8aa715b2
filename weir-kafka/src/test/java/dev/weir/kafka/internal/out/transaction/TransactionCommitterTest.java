package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.BareContext;
import dev.weir.stream.spi.AckTarget;
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

/** Tests commits and aborts while the sink's {@code send} waits for free memory. */
@Timeout(60)
class TransactionCommitterTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final TransactionsOfRun<String, String> run = new TransactionsOfRun<>(Clock.SYSTEM, true);
    private final BareContext context = new BareContext();
    private final TransactionCounts counts = new TransactionCounts();
    private final TransactionCommitter<String, String> committer =
            new TransactionCommitter<>(run, context, counts, null, number -> new Blocking());
    private final CountDownLatch room = new CountDownLatch(1);
    private final CountDownLatch inSend = new CountDownLatch(1);

    private volatile CountDownLatch mayCommit = new CountDownLatch(0);

    @BeforeEach
    void start() throws InterruptedException {
        committer.start();
        await(() -> run.freeProducers() == TransactionCommitter.PRODUCERS);
    }

    @AfterEach
    void close() {
        room.countDown();
        mayCommit.countDown();
        committer.close();
    }

    /** Waits until the condition holds. Fails if no thread signals the change in time. */
    private void await(BooleanSupplier condition) throws InterruptedException {
        run.lock.lockInterruptibly();
        try {
            long left = PATIENCE.toNanos();
            while (!condition.getAsBoolean()) {
                assertThat(left).as("nanoseconds left").isPositive();
                left = run.changed.awaitNanos(left);
            }
        } finally {
            run.lock.unlock();
        }
    }

    private OpenTransaction<String, String> begun() {
        run.lock.lock();
        try {
            committer.begin();
            return Objects.requireNonNull(run.filling());
        } finally {
            run.lock.unlock();
        }
    }

    @SuppressWarnings("removal") // the only way to create this object without a client in a group
    private TransactionCut<String, String> cut(OpenTransaction<String, String> transaction) {
        return new TransactionCut<>(transaction, Map.of(), List.of(), new ConsumerGroupMetadata("group"));
    }

    /** Sends a record as the sink does. */
    private Thread sending(OpenTransaction<String, String> transaction) throws InterruptedException {
        Thread sink = Thread.ofPlatform().start(() -> {
            run.lock.lock();
            try {
                run.send(() -> transaction.producer.send(
                        new ProducerRecord<>("out", "blocked"), transaction.answerOf(AckTarget.NONE, 0)));
            } catch (KafkaException brokenOff) {
                // Expected if the transaction is aborted.
            } finally {
                run.lock.unlock();
            }
        });
        inSend.await();
        return sink;
    }

    // Regression: a commit was not processed while another thread waited in {@code send}, for up to max.block.ms.
    @Test
    void commit_whileARecordOfTheNextIsBeingSent_isTakenUp() throws Exception {
        mayCommit = new CountDownLatch(1);
        TransactionCut<String, String> first = committing();
        committer.commit(first);
        await(() -> run.state() == TransactionState.FLUSHED);
        OpenTransaction<String, String> second = begun();
        Thread sink = sending(second);
        mayCommit.countDown();
        await(() -> run.committing() == null);
        assertThat(run.confirmed).containsExactly(first);
        assertThat(sink.isAlive()).isTrue();
        assertThat(run.filling()).isSameAs(second);
        assertThat(run.state()).isEqualTo(TransactionState.FILLING);
        room.countDown();
        sink.join();
    }

    @Test
    void abort_whileARecordIsBeingSent_breaksThatOff_andReplacesTheProducer() throws Exception {
        OpenTransaction<String, String> filling = begun();
        var before = filling.producer.client.client();
        Thread sink = sending(filling);
        committer.abortFilling(new KafkaException("planned"));
        await(() -> run.state() == TransactionState.ABORTED);
        sink.join();
        assertThat(run.filling()).isNull();
        assertThat(filling.producer.client.client()).isNotSameAs(before);
        assertThat(run.freeProducers()).isEqualTo(TransactionCommitter.PRODUCERS);
        assertThat(counts.snapshot().aborted()).isEqualTo(1);
        assertThat(context.failures).isEmpty();
    }

    @Test
    void abort_whileOneIsCommittedAndAnotherFills_abortsBoth() throws Exception {
        mayCommit = new CountDownLatch(1);
        TransactionCut<String, String> first = committing();
        client(first).commitTransactionException = new KafkaException("planned");
        committer.commit(first);
        await(() -> run.state() == TransactionState.FLUSHED);
        OpenTransaction<String, String> second = begun();
        assertThat(run.state()).isEqualTo(TransactionState.OVERLAPPING);
        mayCommit.countDown();
        await(() -> run.state() == TransactionState.ABORTED);
        assertThat(client(first).transactionAborted()).isTrue();
        assertThat(client(second).transactionAborted()).isTrue();
        assertThat(run.freeProducers()).isEqualTo(TransactionCommitter.PRODUCERS);
        assertThat(counts.snapshot().aborted()).isEqualTo(2);
    }

    // Regression: after an aborted transaction, inputs were lost. A simulation found this.
    @Test
    void commit_ofATransactionThatARefusalHasAbortedBefore_isNotMade() throws Exception {
        TransactionCut<String, String> cut = committing();
        run.lock.lock();
        try {
            // The client's thread may report a refusal just before the owner requests the commit.
            committer.refused(cut.transaction(), new TimeoutException("a batch has expired"));
            committer.commit(cut);
            committer.commit(cut);
        } finally {
            run.lock.unlock();
        }
        await(() -> run.state() == TransactionState.ABORTED && run.freeProducers() == TransactionCommitter.PRODUCERS);
        run.lock.lock();
        try {
            run.resume(false);
        } finally {
            run.lock.unlock();
        }
        TransactionCut<String, String> other = committing(); // uses the producer that was idle longer
        committer.commit(other);
        await(() -> run.committing() == null);
        OpenTransaction<String, String> next = begun();
        assertThat(next.producer).as("that of the aborted one").isSameAs(cut.transaction().producer);
        assertThat(counts.snapshot().aborted()).isEqualTo(1);
        committer.commit(cut);
        MockProducer<String, String> client = client(cut);
        committer.close();
        assertThat(other.transaction().producer).isNotSameAs(next.producer);
        assertThat(client.commitCount()).isZero();
        assertThat(counts.snapshot().committed()).as("the other one").isEqualTo(1);
        assertThat(context.failures).isEmpty();
    }

    /** Begins a transaction and closes it to further records. */
    private TransactionCut<String, String> committing() {
        TransactionCut<String, String> cut = cut(begun());
        run.lock.lock();
        try {
            run.cut(cut);
        } finally {
            run.lock.unlock();
        }
        return cut;
    }

    private static MockProducer<String, String> client(TransactionCut<String, String> cut) {
        return client(cut.transaction());
    }

    private static MockProducer<String, String> client(OpenTransaction<String, String> transaction) {
        return (MockProducer<String, String>) Objects.requireNonNull(transaction.producer.client.client());
    }

    /** The commit may have succeeded. Results written again from memory would then be visible twice. */
    @Test
    void commitOfUnknownOutcome_hasTheInputsReadAgain() throws Exception {
        TransactionCut<String, String> cut = committing();
        client(cut).commitTransactionException = new KafkaException("the answer was lost");
        committer.commit(cut);
        await(() -> run.state() == TransactionState.ABORTED);
        assertThat(run.aborted.mayWriteAgain()).isFalse();
        assertThat(run.confirmed).isEmpty();
        assertThat(counts.snapshot().committed()).isZero();
        assertThat(counts.snapshot().aborted()).isEqualTo(1);
        run.lock.lock();
        try {
            run.resume(false);
            assertThat(run.aborted.mayWriteAgain())
                    .as("once they are read again")
                    .isTrue();
        } finally {
            run.lock.unlock();
        }
    }

    @Test
    void commitThatWasNotAskedFor_letsTheRecordsBeWrittenAgain() throws Exception {
        TransactionCut<String, String> cut = committing();
        client(cut).flushException = new KafkaException("a batch has expired");
        committer.commit(cut);
        await(() -> run.state() == TransactionState.ABORTED);
        assertThat(run.aborted.mayWriteAgain()).isTrue();
        assertThat(run.committing()).isNull();
    }

    /** After a refused record, the client cannot have sent the commit. */
    @Test
    void commitWithARefusedRecord_letsTheRecordsBeWrittenAgain() throws Exception {
        TransactionCut<String, String> cut = committing();
        client(cut).commitTransactionException = new KafkaException("a record was refused");
        mayCommit = new CountDownLatch(1);
        committer.commit(cut);
        await(() -> run.state() == TransactionState.FLUSHED);
        // The refusal arrives too late to abort the transaction.
        cut.transaction().answered(null, new TimeoutException("a batch has expired"), "");
        mayCommit.countDown();
        await(() -> run.state() == TransactionState.ABORTED);
        assertThat(run.aborted.mayWriteAgain()).isTrue();
    }

    private static void awaitOpen(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** A client whose {@code send} waits until the client is closed. */
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // other threads use it meanwhile, like Kafka's producer
    private final class Blocking extends MockProducer<String, String> {

        private volatile boolean brokenOff;

        Blocking() {
            super(true, null, new StringSerializer(), new StringSerializer());
        }

        @Override
        public Future<RecordMetadata> send(ProducerRecord<String, String> record, Callback callback) {
            inSend.countDown();
            awaitOpen(room);
            if (brokenOff) {
                throw new KafkaException("closed while a send was in progress");
            }
            return super.send(record, callback);
        }

        @Override
        public void commitTransaction() {
            awaitOpen(mayCommit);
            super.commitTransaction();
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
