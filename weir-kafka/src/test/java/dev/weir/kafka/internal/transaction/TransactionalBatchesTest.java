package dev.weir.kafka.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.BareContext;
import dev.weir.kafka.internal.producer.Refused;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Commits that fail, which no broker does when it is asked to. */
class TransactionalBatchesTest {

    private final List<Long> acknowledged = new ArrayList<>();
    private final Queue<RuntimeException> failures = new ArrayDeque<>();

    /** Of all begins but the first. */
    private final Queue<RuntimeException> beginFailures = new ArrayDeque<>();

    private int begun;

    /** Of records that are refused when their transaction is committed. */
    private final Queue<Callback> late = new ArrayDeque<>();

    /** Their value. */
    private String refused = "none";

    private final MockProducer<String, String> client =
            new MockProducer<>(true, null, new StringSerializer(), new StringSerializer()) {

                @Override
                public void beginTransaction() {
                    RuntimeException failure = begun++ == 0 ? null : beginFailures.poll();
                    if (failure != null) {
                        throw failure;
                    }
                    super.beginTransaction();
                }

                // As Kafka's does, whose serializer adds one.
                @Override
                public synchronized Future<RecordMetadata> send(
                        ProducerRecord<String, String> record, Callback callback) {
                    record.headers().add("by-serializer", new byte[0]);
                    ((RecordHeaders) record.headers()).setReadOnly();
                    if (refused.equals(record.value())) {
                        late.add(callback);
                    }
                    return super.send(record, callback);
                }

                @Override
                public void commitTransaction() {
                    while (!late.isEmpty()) {
                        late.remove().onCompletion(null, new RecordTooLargeException("by the broker"));
                    }
                    RuntimeException failure = failures.poll();
                    if (failure != null) {
                        throw failure;
                    }
                    super.commitTransaction();
                }
            };
    private final TransactionalBatches<String, String> loop = loop(null);

    private TransactionalBatches<String, String> loop(@Nullable Refused<ProducerRecord<String, String>> rejects) {
        return new TransactionalBatches<>(
                () -> client, new BareContext(), "booking", Duration.ofMinutes(1), 3, rejects);
    }

    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            acknowledged.add(token);
        }

        @Override
        public void retain(long token, int claims) {}
    };

    /** Five elements, of which three make a transaction. */
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

    /** The refusal is of the transaction that was aborted: it is no excuse for what is wrong afterwards. */
    @Test
    void failureThatIsFinal_endsTheRun_alsoAfterARecordCameUnderTheRule() {
        refused = "1";
        failures.add(new KafkaException("a record is refused"));
        beginFailures.add(new TransactionalIdAuthorizationException("not any more"));
        assertThatThrownBy(() -> loop(skipping()).run(five())).hasMessageContaining("transactions are refused");
        assertThat(acknowledged).isEmpty();
    }

    private static Refused<ProducerRecord<String, String>> skipping() {
        return new Refused<>() {
            @Override
            public boolean takes(Exception refusal) {
                return refusal instanceof RecordTooLargeException;
            }

            @Override
            public void add(ProducerRecord<String, String> record, Exception refusal, AckTarget of, long token) {}

            @Override
            public void settle() {}
        };
    }
}
