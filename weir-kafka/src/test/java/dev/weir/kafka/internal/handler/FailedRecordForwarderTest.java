package dev.weir.kafka.internal.handler;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.BareContext;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FailedRecordForwarderTest {

    private static final Duration LONGER_THAN_ANY_PAUSE = Duration.ofMinutes(1);

    private final VirtualClock clock = new VirtualClock();
    private final List<Long> acknowledged = new CopyOnWriteArrayList<>();
    private final List<Long> abandoned = new CopyOnWriteArrayList<>();
    private final List<Scripted> opened = new CopyOnWriteArrayList<>();

    /** Exceptions thrown by the next attempts to open a producer. Later attempts succeed. */
    private final Queue<RuntimeException> openings = new ArrayDeque<>();

    /** Errors reported for the next sends. Later sends succeed. */
    private final Queue<RuntimeException> answers = new ArrayDeque<>();

    /** Thrown by the acknowledgement of the first record; null if it succeeds. */
    private @Nullable RuntimeException refusedAck;

    private final List<Integer> proposals = new CopyOnWriteArrayList<>();
    private int flushes;
    private final FailedRecordForwarder forwarder = forwarding(this::propose);

    private FailedRecordForwarder forwarding(FailureRoute route) {
        return new FailedRecordForwarder(
                new PatientWriter("test", route, clock, this::open, ClientProgress.NONE), new Surroundings());
    }

    private Producer<byte[], byte[]> open() {
        RuntimeException refused = openings.poll();
        if (refused != null) {
            throw refused;
        }
        Scripted producer = new Scripted();
        opened.add(producer);
        return producer;
    }

    private ProducerRecord<byte[], byte[]> propose(FailedRecord failed, int tooLarge) {
        proposals.add(tooLarge);
        return new ProducerRecord<>("dead", failed.raw().key(), failed.raw().value());
    }

    private Batch<FailedRecord> failed(int records) {
        AckTarget target = new AckTarget() {
            @Override
            public void ack(long token) {
                if (token == 0 && refusedAck != null) {
                    throw refusedAck;
                }
                acknowledged.add(token);
            }

            @Override
            public void abandon(long token) {
                abandoned.add(token);
            }

            @Override
            public void retain(long token, int claims) {
                throw new AssertionError("nothing becomes two here");
            }
        };
        List<FailedRecord> values = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            ConsumerRecord<byte[], byte[]> raw = new ConsumerRecord<>("t", 0, i, new byte[1], new byte[1]);
            values.add(new FailedRecord(raw, FailedRecord.Reason.HANDLER, new IllegalStateException("no"), 1, false));
        }
        return Batch.of(
                values.toArray(), records, target, LongStream.range(0, records).toArray());
    }

    private CompletableFuture<Void> deliverElsewhere(Batch<FailedRecord> batch) {
        CompletableFuture<Void> delivered = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                forwarder.deliver(batch);
                delivered.complete(null);
            } catch (Throwable thrown) {
                delivered.completeExceptionally(thrown);
            }
        });
        return delivered;
    }

    @Test
    void records_thatTheBrokersHave_areAcknowledgedAndCounted() throws Exception {
        forwarder.deliver(failed(3));
        assertThat(acknowledged).containsExactly(0L, 1L, 2L);
        assertThat(forwarder.written()).isEqualTo(3);
        assertThat(forwarder.held()).isZero();
        assertThat(opened).hasSize(1);
    }

    @Test
    void record_thatIsRefusedAlone_holdsTheBatchAndIsTriedAgainAfterAPause() throws Exception {
        refuseTwice(new TimeoutException("no answer"));
        CompletableFuture<Void> delivered = deliverElsewhere(failed(1));
        clock.awaitWaiters(1);
        assertThat(acknowledged).isEmpty();
        assertThat(forwarder.held()).isEqualTo(1);
        assertThat(delivered).isNotDone();
        clock.advance(LONGER_THAN_ANY_PAUSE);
        delivered.get();
        assertThat(acknowledged).containsExactly(0L);
        assertThat(forwarder.held()).isZero();
        assertThat(forwarder.written()).isEqualTo(1);
        assertThat(opened).as("a producer that timed out goes on").hasSize(1);
    }

    private void refuseTwice(RuntimeException why) {
        answers.add(why);
        answers.add(why);
    }

    @Test
    void record_thatIsRefusedAmongOthers_isTriedAloneAtOnce() throws Exception {
        answers.add(new TimeoutException("no answer"));
        forwarder.deliver(failed(3));
        assertThat(acknowledged).containsExactly(1L, 2L, 0L);
        assertThat(forwarder.written()).isEqualTo(3);
    }

    @Test
    void producer_thatRefusesForGood_isReplacedByANewOne() throws Exception {
        answers.add(new TopicAuthorizationException("dead"));
        forwarder.deliver(failed(1));
        assertThat(opened).hasSize(2);
        assertThat(opened.getFirst().closed()).isTrue();
        assertThat(acknowledged).containsExactly(0L);
    }

    // Regression: a temporary failure to resolve host names ended the pipeline.
    @Test
    void producer_thatCannotBeOpenedAgain_isWaitedFor() throws Exception {
        refuseTwice(new TopicAuthorizationException("dead"));
        CompletableFuture<Void> delivered = deliverElsewhere(failed(1));
        clock.awaitWaiters(1);
        openings.add(new KafkaException("no resolvable bootstrap urls"));
        clock.advance(LONGER_THAN_ANY_PAUSE);
        clock.awaitWaiters(1);
        clock.advance(LONGER_THAN_ANY_PAUSE);
        delivered.get();
        assertThat(acknowledged).containsExactly(0L);
    }

    @Test
    void producer_thatCannotBeOpenedAtAll_failsThePipeline() {
        openings.add(new KafkaException("compression.type is wrong"));
        assertThatThrownBy(() -> forwarder.deliver(failed(1))).hasMessageContaining("compression.type");
        assertThat(acknowledged).isEmpty();
    }

    @Test
    void record_thatIsTooLarge_isProposedSmallerAtOnce() throws Exception {
        answers.add(new RecordTooLargeException("large"));
        answers.add(new RecordTooLargeException("still"));
        forwarder.deliver(failed(1));
        assertThat(proposals).containsExactly(0, 1, 2);
        assertThat(acknowledged).containsExactly(0L);
    }

    @Test
    void record_thatIsTooLargeInEachForm_isARefusedRecord() throws Exception {
        for (int i = 0; i < 4; i++) {
            answers.add(new RecordTooLargeException("still"));
        }
        forwarder.deliver(failed(1));
        assertThat(proposals).containsExactly(0, 1, 2, 3, 3);
        assertThat(acknowledged).containsExactly(0L);
    }

    /** Half a batch of the client is 8,192 bytes. A record's key, its value and its header count. */
    @Test
    void largeRecord_isSentBeforeTheNextOneIsAdded() throws Exception {
        for (int valueBytes : new int[] {8_187, 8_188}) {
            flushes = 0;
            forwarding((failed, tooLarge) -> new ProducerRecord<>(
                            "dead",
                            null,
                            failed.raw().key(),
                            new byte[valueBytes],
                            List.of(new RecordHeader("hh", new byte[2]))))
                    .deliver(failed(2));
            assertThat(flushes).isEqualTo(valueBytes == 8_187 ? 1 : 3);
        }
    }

    @Test
    void recordOfNothing_isWritten() throws Exception {
        forwarding((failed, tooLarge) -> new ProducerRecord<byte[], byte[]>(
                        "dead", null, null, null, List.of(new RecordHeader("h", (byte[]) null))))
                .deliver(failed(1));
        assertThat(acknowledged).containsExactly(0L);
    }

    private FailedRecordForwarder writing(DeadLetterTopic.TooLarge whenTooLarge) {
        var settings =
                ProducerSettings.builder().bootstrapServers("localhost:1").build();
        return forwarding(
                new DeadLetterWriter(DeadLetterTopic.of("dead", settings).whenTooLarge(whenTooLarge)));
    }

    // Regression: 15 dead-letter records lost their values, and nothing reported it.
    @Test
    void letters_thatAreCut_areCounted() throws Exception {
        FailedRecordForwarder cutting = writing(DeadLetterTopic.TooLarge.CUT);
        answers.add(new RecordTooLargeException("large"));
        answers.add(new RecordTooLargeException("large"));
        cutting.deliver(failed(3));
        assertThat(cutting.written()).isEqualTo(3);
        assertThat(cutting.cut()).isEqualTo(2);
        assertThat(acknowledged).containsExactlyInAnyOrder(0L, 1L, 2L);
    }

    @Test
    void letter_thatIsTooLargeAndMayNotBeCut_failsThePipelineNamingTheRecord() {
        FailedRecordForwarder failing = writing(DeadLetterTopic.TooLarge.FAIL);
        answers.add(new RecordTooLargeException("large"));
        assertThatThrownBy(() -> failing.deliver(failed(1)))
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("t-0@0")
                .hasMessageContaining("topic dead")
                .hasMessageContaining("max.message.bytes");
        assertThat(acknowledged).isEmpty();
    }

    /** Regression: the pipeline waited forever for the record whose acknowledgement threw. */
    @Test
    void acknowledgement_thatThrows_failsThePipeline() {
        refusedAck = new IllegalStateException("planted");
        CompletableFuture<Void> delivered = deliverElsewhere(failed(2));
        assertThatThrownBy(() -> delivered.get(30, SECONDS)).hasRootCause(refusedAck);
        assertThat(acknowledged).containsExactly(1L);
    }

    @Test
    void wait_thatIsInterrupted_endsTheDeliveryAndAcknowledgesNothing() {
        refuseTwice(new TimeoutException("no answer"));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> forwarder.deliver(failed(1))).isInstanceOf(InterruptedException.class);
        assertThat(acknowledged).isEmpty();
    }

    // Regression: nobody ended the acknowledgements of a failed delivery. A late response acknowledged a record after
    // its stage had failed.
    @Test
    void delivery_thatFails_abandonsItsRecordsAndIgnoresLateResponses() throws Exception {
        List<Callback> late = new ArrayList<>();
        FailedRecordForwarder failing = new FailedRecordForwarder(
                new PatientWriter(
                        "test",
                        (failed, tooLarge) -> {
                            if (failed.raw().offset() == 2) {
                                throw new KafkaPipelineException("planted");
                            }
                            return propose(failed, tooLarge);
                        },
                        clock,
                        () -> new Scripted() {
                            @Override
                            public synchronized Future<RecordMetadata> send(
                                    ProducerRecord<byte[], byte[]> record, Callback callback) {
                                if (late.isEmpty()) {
                                    late.add(callback);
                                    return new CompletableFuture<>();
                                }
                                return super.send(record, callback);
                            }
                        },
                        ClientProgress.NONE),
                new Surroundings());
        assertThatThrownBy(() -> failing.deliver(failed(4))).hasMessage("planted");
        assertThat(acknowledged).containsExactly(1L);
        assertThat(abandoned).containsExactly(0L, 2L, 3L);
        late.getFirst().onCompletion(null, null);
        assertThat(acknowledged).containsExactly(1L);
        assertThat(failing.written()).isEqualTo(2);
    }

    private class Scripted extends MockProducer<byte[], byte[]> {

        Scripted() {
            super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
        public void flush() {
            flushes++;
            super.flush();
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
        public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
            RuntimeException answer = answers.poll();
            if (answer == null) {
                return super.send(record, (metadata, refusal) -> {
                    try {
                        callback.onCompletion(metadata, refusal);
                    } catch (RuntimeException swallowed) {
                        // Kafka's producer only logs exceptions of callbacks.
                    }
                });
            }
            callback.onCompletion(null, answer);
            return CompletableFuture.failedFuture(answer);
        }
    }

    private final class Surroundings extends BareContext {

        @Override
        public Clock clock() {
            return clock;
        }

        @Override
        public void fail(Throwable cause) {
            throw new AssertionError(cause);
        }
    }
}
