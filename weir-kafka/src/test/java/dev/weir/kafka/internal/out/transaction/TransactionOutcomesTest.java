package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.BareContext;
import dev.weir.stream.Action;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what follows a commit, a broken client, and the end of a run. The committer runs on the test's thread. */
class TransactionOutcomesTest {

    private static final RecordMetadata WRITTEN = new RecordMetadata(new TopicPartition("out", 0), 5, 0, 0, 1, 2);

    private final List<MockProducer<String, String>> clients = new ArrayList<>();
    private final List<List<RecordMetadata>> told = new ArrayList<>();
    private final AtomicInteger wakes = new AtomicInteger();
    private final BareContext context = new BareContext();
    private final TransactionCounts counts = new TransactionCounts();
    private final CallingThread thread = new CallingThread();
    private final TransactionsOfRun<String, String> run = new TransactionsOfRun<>(Clock.SYSTEM, false);

    private @Nullable Exception listenerFailure;

    private final TransactionCommitter<String, String> committer = committer(results -> {
        told.add(List.copyOf(results));
        if (listenerFailure != null) {
            throw listenerFailure;
        }
    });

    private TransactionCommitter<String, String> committer(Action<? super List<RecordMetadata>> whenCommitted) {
        return new TransactionCommitter<>(
                run,
                context,
                counts,
                whenCommitted,
                number -> {
                    MockProducer<String, String> client =
                            new MockProducer<>(true, null, new StringSerializer(), new StringSerializer());
                    clients.add(client);
                    return client;
                },
                thread);
    }

    @BeforeEach
    void start() {
        run.wakeOwner = wakes::incrementAndGet;
        committer.start();
    }

    @AfterEach
    void close() {
        thread.release();
        committer.close();
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
        Map<TopicPartition, OffsetAndMetadata> offsets = Map.of(new TopicPartition("in", 0), new OffsetAndMetadata(3));
        var cut = new TransactionCut<>(transaction, offsets, List.of(), new ConsumerGroupMetadata("group"));
        run.lock.lock();
        try {
            run.cut(cut);
        } finally {
            run.lock.unlock();
        }
        return cut;
    }

    private void write(OpenTransaction<String, String> transaction, int records) {
        for (int i = 0; i < records; i++) {
            transaction.sent(AckTarget.NONE, 0, System.currentTimeMillis());
            transaction.answered(WRITTEN, null, "");
        }
    }

    private static MockProducer<String, String> client(OpenTransaction<String, String> transaction) {
        return (MockProducer<String, String>) Objects.requireNonNull(transaction.producer.client.client());
    }

    @Test
    void commit_isCounted_wakesTheOwner_andIsReportedWithItsRecords() {
        OpenTransaction<String, String> transaction = begun();
        write(transaction, 3);
        TransactionCut<String, String> cut = cut(transaction);
        committer.commit(cut);
        assertThat(client(transaction).commitCount()).isEqualTo(1);
        assertThat(client(transaction).consumerGroupOffsetsHistory()).containsExactly(Map.of("group", cut.offsets()));
        assertThat(counts.snapshot().committed()).isEqualTo(1);
        assertThat(run.latency.snapshot().count()).isEqualTo(3);
        assertThat(run.confirmed).containsExactly(cut);
        assertThat(wakes).hasValue(1);
        assertThat(told).containsExactly(List.of(WRITTEN, WRITTEN, WRITTEN));
    }

    @Test
    void commitOfOffsetsAlone_isNotReportedToTheListener() {
        committer.commit(cut(begun()));
        assertThat(counts.snapshot().committed()).isEqualTo(1);
        assertThat(told).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void listenerThatThrows_failsTheRun_afterTheCommit(boolean isChecked) {
        listenerFailure = isChecked ? new IOException("planned") : new KafkaPipelineException("planned");
        OpenTransaction<String, String> transaction = begun();
        write(transaction, 1);
        committer.commit(cut(transaction));
        assertThat(run.state()).isEqualTo(TransactionState.IDLE);
        assertThat(run.confirmed).hasSize(1);
        assertThat(context.failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure)
                        .isInstanceOf(KafkaPipelineException.class)
                        .hasMessage(isChecked ? "the listener of whenCommitted failed: planned" : "planned"));
    }

    @Test
    void listenerThatThrows_asTheRunEnds_failsNothing() {
        listenerFailure = new KafkaPipelineException("planned");
        OpenTransaction<String, String> transaction = begun();
        write(transaction, 1);
        thread.hold();
        committer.commit(cut(transaction));
        var open = run.end();
        thread.release();
        assertThat(open).isNull();
        assertThat(told).hasSize(1);
        assertThat(context.failures).isEmpty();
    }

    /** An interrupt says nothing about the outcome, so nothing is aborted or read again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void interruptedCommit_isNeitherAbortedNorConfirmed(boolean inFlush) {
        OpenTransaction<String, String> transaction = begun();
        if (inFlush) {
            client(transaction).flushException = new InterruptException("planned");
        } else {
            client(transaction).commitTransactionException = new InterruptException("planned");
        }
        committer.commit(cut(transaction));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(run.state()).isEqualTo(inFlush ? TransactionState.FLUSHING : TransactionState.FLUSHED);
        assertThat(counts.snapshot().aborted()).isZero();
        assertThat(run.confirmed).isEmpty();
        assertThat(context.failures).isEmpty();
    }

    @Test
    void abort_wakesTheOwner_andCountsTheRecordsToRepeat() {
        write(begun(), 2);
        committer.abortFilling(new KafkaException("planned"));
        committer.abortFilling(new KafkaException("again"));
        assertThat(run.state()).isEqualTo(TransactionState.ABORTED);
        assertThat(counts.snapshot().aborted()).isEqualTo(1);
        assertThat(counts.rewound.sum()).isEqualTo(2);
        assertThat(wakes).hasValue(1);
    }

    @Test
    void close_abortsTheOpenTransaction_andClosesAllProducers() {
        committer.trial().open();
        OpenTransaction<String, String> open = begun();
        committer.close();
        assertThat(counts.snapshot().aborted()).isEqualTo(1);
        assertThat(clients).hasSize(TransactionCommitter.PRODUCERS + 1).allMatch(MockProducer::closed);
        committer.refused(open, new KafkaException("after the end"));
        committer.close();
        assertThat(counts.snapshot().aborted()).isEqualTo(1);
        assertThat(context.failures).isEmpty();
    }

    @Test
    void close_withNothingOpen_abortsNothing() {
        committer.close();
        assertThat(counts.snapshot().aborted()).isZero();
        assertThat(clients).allMatch(MockProducer::closed);
    }

    private void answerOnAThreadThatEnds(OpenTransaction<String, String> transaction) throws InterruptedException {
        Thread ofClient = Thread.ofPlatform()
                .name("kafka-producer-network-thread | dead")
                .start(() -> transaction.answered(WRITTEN, null, ""));
        ofClient.join();
    }

    /** A commit waits for the client even if all records are acknowledged. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void deadClient_failsTheRun_ifSomethingWaitsForIt(boolean isCommitting) throws InterruptedException {
        OpenTransaction<String, String> transaction = begun();
        transaction.sent(AckTarget.NONE, 0, null);
        answerOnAThreadThatEnds(transaction);
        if (isCommitting) {
            thread.hold();
            committer.commit(cut(transaction));
        }
        for (int i = 1; i < 4; i++) {
            committer.look(i);
        }
        if (!isCommitting) {
            assertThat(context.failures).as("nothing waits yet").isEmpty();
            transaction.sent(AckTarget.NONE, 0, null);
            committer.look(5);
            committer.look(6);
        }
        assertThat(context.failures).isNotEmpty().first().isInstanceOf(KafkaPipelineException.class);
        assertThat(client(transaction).closed()).isTrue();
    }

    @Test
    void deadClient_isNotReported_onceTheRunHasEnded() throws InterruptedException {
        OpenTransaction<String, String> transaction = begun();
        answerOnAThreadThatEnds(transaction);
        thread.hold();
        committer.commit(cut(transaction));
        var none = run.end();
        committer.look(1);
        committer.look(2);
        committer.look(3);
        assertThat(none).isNull();
        assertThat(context.failures).isEmpty();
    }
}
