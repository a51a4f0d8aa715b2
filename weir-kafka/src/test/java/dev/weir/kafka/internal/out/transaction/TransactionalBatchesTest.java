package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.BareContext;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.write.WriteRule;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests failed commits. A real broker cannot be made to fail in these ways. */
class TransactionalBatchesTest {

    private static final ProducerSettings<String, String> SETTINGS = ProducerSettings.builder(
                    new StringSerializer(), new StringSerializer())
            .bootstrapServers("h:1")
            .build();

    private final List<Long> acknowledged = new ArrayList<>();
    private final Queue<RuntimeException> failures = new ArrayDeque<>();

    /** Failures of {@code beginTransaction}, from the second call on. */
    private final Queue<RuntimeException> beginFailures = new ArrayDeque<>();

    private final Queue<RuntimeException> abortFailures = new ArrayDeque<>();

    private int begun;

    private int clients;

    /** Topic whose records {@code send} refuses. */
    private String forbidden = "";

    private boolean isInError;

    /** Callbacks of records that the brokers refuse only at the commit. */
    private final Queue<Callback> late = new ArrayDeque<>();

    /** Value of records that the brokers refuse only at the commit. */
    private String refused = "none";

    /** Value of a record that is refused only after a refused record in its batch. */
    private String neighbour = "none";

    private final MockProducer<String, String> client =
            new MockProducer<>(true, null, new StringSerializer(), new StringSerializer()) {

                // One object plays all clients of this id. Each new client aborts its predecessor's open transaction.
                @Override
                public void initTransactions() {
                    if (clients == 1) {
                        super.initTransactions();
                    } else {
                        super.abortTransaction();
                    }
                }

                @Override
                public void close(Duration timeout) {}

                @Override
                public void beginTransaction() {
                    RuntimeException failure = begun++ == 0 ? null : beginFailures.poll();
                    if (failure != null) {
                        throw failure;
                    }
                    super.beginTransaction();
                }

                // Adds a header, as a serializer of Kafka's client may do.
                @Override
                public synchronized Future<RecordMetadata> send(
                        ProducerRecord<String, String> record, Callback callback) {
                    record.headers().add("by-serializer", new byte[0]);
                    ((RecordHeaders) record.headers()).setReadOnly();
                    if (record.topic().equals(forbidden)) {
                        isInError = true;
                        asked.add(record.value());
                        callback.onCompletion(null, new TopicAuthorizationException(Set.of(forbidden)));
                        return new CompletableFuture<>();
                    }
                    if (refused.equals(record.value()) || (neighbour.equals(record.value()) && !late.isEmpty())) {
                        late.add(callback);
                    }
                    return super.send(record, callback);
                }

                private void answerLate() {
                    while (!late.isEmpty()) {
                        late.remove().onCompletion(null, new RecordTooLargeException("by the broker"));
                    }
                }

                @Override
                @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
                public void flush() {
                    answerLate();
                    super.flush();
                }

                @Override
                public void commitTransaction() {
                    answerLate();
                    RuntimeException failure = isInError ? new KafkaException("in error") : failures.poll();
                    if (failure != null) {
                        throw failure;
                    }
                    super.commitTransaction();
                }

                @Override
                public void abortTransaction() {
                    RuntimeException failure = abortFailures.poll();
                    if (failure != null) {
                        throw failure;
                    }
                    isInError = false;
                    super.abortTransaction();
                }
            };

    /** Values of records that were sent to the forbidden topic. */
    private final List<String> asked = new ArrayList<>();

    private final VirtualClock clock = new VirtualClock();
    private final TransactionalBatches<String, String> loop = loop(WriteFailures.fail());

    private TransactionalBatches<String, String> loop(WriteFailures failures) {
        return loop(failures, Clock.SYSTEM, 3);
    }

    private TransactionalBatches<String, String> loop(WriteFailures failures, Clock by, int commitRecords) {
        BareContext context = new BareContext() {
            @Override
            public Clock clock() {
                return by;
            }
        };
        return new TransactionalBatches<>(
                () -> {
                    clients++;
                    return client;
                },
                context,
                "booking",
                Duration.ofMinutes(1),
                commitRecords,
                new TransactionalLoopTest.AllKnown(),
                WriteRule.ofRecords(failures, context, SETTINGS),
                ClientProgress.NONE);
    }

    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            acknowledged.add(token);
        }

        @Override
        public void retain(long token, int claims) {}
    };

    /** Returns a stage with five elements. A transaction takes three of them. */
    private Stage<ProducerRecord<String, String>> five() {
        Batch<ProducerRecord<String, String>> batch = new Batch<>(5);
        for (int i = 0; i < 5; i++) {
            batch.add(new ProducerRecord<>("out", Integer.toString(i)), target, i);
        }
        return new Stage<>() {
            private boolean ended;

            @Override
            public @Nullable Batch<ProducerRecord<String, String>> pull(long deadlineNanos) {
                if (ended) {
                    return null;
                }
                ended = true;
                return batch;
            }

            @Override
            public void close() {}
        };
    }

    @Test
    void inputs_areAcknowledgedByTheCommitOfTheirRecords() throws Exception {
        loop.run(five());
        assertThat(client.commitCount()).isEqualTo(2);
        assertThat(acknowledged).containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    @Test
    void transactionThatFailsForAReasonThatPasses_isAborted_andItsRecordsAreSentAgain() throws Exception {
        failures.add(new KafkaException("the coordinator moves"));
        failures.add(new KafkaException("and again"));
        loop.run(five());
        assertThat(client.history()).extracting(ProducerRecord::value).containsExactly("0", "1", "2", "3", "4");
        assertThat(client.history())
                .allSatisfy(record -> assertThat(record.headers()).hasSize(1));
        assertThat(client.commitCount()).isEqualTo(2);
        assertThat(acknowledged).containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    @Test
    void fencedProducer_failsTheRun_andAcknowledgesNothing() {
        failures.add(new ProducerFencedException("another one"));
        assertThatThrownBy(() -> loop.run(five()))
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("another producer took transactional.id=booking");
        assertThat(acknowledged).isEmpty();
        assertThat(client.history()).isEmpty();
    }

    // Regression: the producer took its id back from another run, and both runs wrote the records.
    @Test
    void producerThatIsFencedInAnAbort_failsTheRun_andDoesNotTakeTheIdBack() {
        failures.add(new KafkaException("no answer to the commit", new TimeoutException()));
        abortFailures.add(new TimeoutException("nor the abort"));
        abortFailures.add(new ProducerFencedException("another one"));
        assertThatThrownBy(() -> loop.run(five()))
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("another producer took transactional.id=booking");
        assertThat(clients).isEqualTo(1);
        assertThat(acknowledged).isEmpty();
    }

    @Test
    void producerThatCannotAbort_isReplaced_whereNobodyElseHasTheId() throws Exception {
        failures.add(new KafkaException("no answer to the commit", new TimeoutException()));
        abortFailures.add(new KafkaException("in a state that nothing is told of"));
        loop.run(five());
        assertThat(clients).isEqualTo(2);
        assertThat(acknowledged).containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    // Regression: while records for a forbidden topic arrived, the topic was never tried again.
    @Test
    void topicThatWasForbidden_isAskedAgainAfterTenSeconds_howeverManyRecordsComeForItMeanwhile() throws Exception {
        forbidden = "out";
        loop(WriteFailures.skip(), clock, 1).run(oneEachFiveSeconds(4));
        assertThat(asked).containsExactly("0");
        assertThat(client.history()).extracting(ProducerRecord::value).containsExactly("3");
        assertThat(acknowledged).containsExactly(0L, 1L, 2L, 3L);
    }

    /** Returns a stage that emits one element every five seconds. The topic is permitted again for the last element. */
    private Stage<ProducerRecord<String, String>> oneEachFiveSeconds(int count) {
        return new Stage<>() {
            private int next;

            @Override
            public @Nullable Batch<ProducerRecord<String, String>> pull(long deadlineNanos) {
                if (next == count) {
                    return null;
                }
                if (next > 0) {
                    clock.advance(Duration.ofSeconds(5));
                }
                if (next == count - 1) {
                    forbidden = "";
                }
                Batch<ProducerRecord<String, String>> batch = new Batch<>(1);
                batch.add(new ProducerRecord<>("out", Integer.toString(next)), target, next);
                next++;
                return batch;
            }

            @Override
            public void close() {}
        };
    }

    @Test
    void failureThatIsFinal_endsTheRun_alsoAfterARecordCameUnderTheRule() {
        refused = "1";
        failures.add(new KafkaException("a record is refused"));
        beginFailures.add(new TransactionalIdAuthorizationException("not any more"));
        assertThatThrownBy(() -> loop(WriteFailures.skip()).run(five()))
                .hasMessageContaining("transactions are refused");
        assertThat(acknowledged).isEmpty();
    }

    @Test
    void recordThatIsRefusedWithItsNeighbour_isFoundAlone_andTheNeighbourIsWritten() throws Exception {
        refused = "1";
        neighbour = "2";
        failures.add(new KafkaException("a record is refused"));
        loop(WriteFailures.skip()).run(five());
        assertThat(client.history()).extracting(ProducerRecord::value).containsExactly("0", "2", "3", "4");
        assertThat(acknowledged).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L);
    }
}
