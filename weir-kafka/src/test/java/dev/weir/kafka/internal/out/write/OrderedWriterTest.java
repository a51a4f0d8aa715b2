package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.internal.BareContext;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.write.RecordAnswer.Kept;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how records are sent again. The clients answer on the test's thread, at a flush or when the test says so. */
@Timeout(30)
class OrderedWriterTest {

    private static final long MILLI = 1_000_000;

    private final RuntimeException ofANeighbour = new KafkaException("part of a batch with invalid records");
    private final RuntimeException invalid = new InvalidRecordException("planted");

    private final List<Long> acknowledged = new ArrayList<>();
    private final List<String> suspected = new ArrayList<>();
    private final List<String> announced = new ArrayList<>();

    /** Topics that other writers of the run have written. */
    private final Set<String> known = new HashSet<>();

    private final List<Client> clients = new ArrayList<>();

    /** Thrown by the next attempts to open a client. */
    private final Queue<RuntimeException> unopened = new ArrayDeque<>();

    /** Returns the exception for a record's value, or null if the record is written. */
    private Function<String, @Nullable RuntimeException> verdict = value -> null;

    private Consumer<String> onSend = value -> {};

    /** Moves forward by each wait. */
    private long nowNanos;

    private int settled;

    private final BareContext context = new BareContext() {
        @Override
        public Clock clock() {
            return new Clock() {
                @Override
                public long nanoTime() {
                    return nowNanos;
                }

                @Override
                public void await(Lock lock, Condition condition, long deadlineNanos) {
                    nowNanos = deadlineNanos;
                }
            };
        }
    };

    private final TopicWatch watch = new TopicWatch() {
        @Override
        public void written(String topic) {
            announced.add(topic);
        }

        @Override
        public void suspect(String topic) {
            suspected.add(topic);
        }

        @Override
        public boolean isKnown(String topic) {
            return known.contains(topic);
        }
    };

    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            acknowledged.add(token);
        }

        @Override
        public void retain(long token, int count) {}

        @Override
        public String placeOf(long token) {
            return "in-0@" + token;
        }
    };

    private final SendWindow window = new SendWindow(Map.of("batch.size", "100"));
    private final StageMeter meter = new StageMeter();

    private OrderedWriter<String, String, String> writer(WriteFailures failures, boolean shared) {
        return new OrderedWriter<>(
                new OrderedWriter.Clients<>(
                        this::open, new FirstRecords<>(new StringSerializer()), window, ClientProgress.NONE, shared),
                context,
                meter,
                WriteRule.of(failures, context, (element, refusal, place) -> {
                    throw new AssertionError("skipped records need no dead-letter record");
                }),
                watch,
                0,
                () -> settled++);
    }

    private Producer<String, String> open() {
        if (!unopened.isEmpty()) {
            throw unopened.remove();
        }
        if (clients.isEmpty() || clients.getLast().closed()) {
            clients.add(new Client());
        }
        return clients.getLast();
    }

    private void send(OrderedWriter<String, String, String> writer, String topic, int... tokens)
            throws InterruptedException {
        for (int token : tokens) {
            ProducerRecord<String, String> record = new ProducerRecord<>(topic, Integer.toString(token));
            writer.send(record, new Kept<>("element " + token, record, writer.nextOrdinal(), target, token));
        }
    }

    /** Returns a writer whose records 1 to 3 are in flight, behind a written record 0. */
    private OrderedWriter<String, String, String> withThreeInFlight(WriteFailures failures, boolean shared)
            throws InterruptedException {
        OrderedWriter<String, String, String> writer = writer(failures, shared);
        send(writer, "out", 0, 1, 2, 3);
        assertThat(acknowledged).containsExactly(0L);
        assertThat(writer.depth()).isEqualTo(3);
        return writer;
    }

    private static List<String> values(Client client) {
        return client.history().stream().map(ProducerRecord::value).toList();
    }

    // ---- In order --------------------------------------------------------------------------------------------------

    @Test
    void records_inFlight_areCountedUntilTheyAreAnswered() throws Exception {
        OrderedWriter<String, String, String> writer = withThreeInFlight(WriteFailures.fail(), false);
        assertThat(writer.handle().snapshot().unanswered()).isEqualTo(3);
        assertThat(writer.handle().snapshot().stage()).isEqualTo("stage");
        assertThat(writer.isQuiet()).isFalse();
        clients.getFirst().answerNext();
        assertThat(writer.depth()).isEqualTo(2);
        writer.finish();
        assertThat(writer.depth()).isZero();
        assertThat(writer.isQuiet()).isTrue();
        assertThat(acknowledged).containsExactly(0L, 1L, 2L, 3L);
        assertThat(meter.elementsOut()).isEqualTo(4);
        assertThat(writer.close(Duration.ZERO)).isEmpty();
        assertThat(clients.getFirst().closed()).isTrue();
    }

    @Test
    void handle_hasTheTimesOfWrittenRecords() throws Exception {
        OrderedWriter<String, String, String> writer = writer(WriteFailures.fail(), false);
        long timestamp = System.currentTimeMillis() - 100;
        ProducerRecord<String, String> record = new ProducerRecord<>("out", null, timestamp, "k", "0");
        writer.send(record, new Kept<>("element", record, writer.nextOrdinal(), target, 0));
        send(writer, "out", 1);
        writer.finish();
        assertThat(writer.handle().latency().count()).isEqualTo(1);
        assertThat(writer.handle().latencyCounts(10, 1_000_000)).containsExactly(0, 1);
    }

    /** Its records wait for the first one of their partition, but not for records of other writers. */
    @Test
    void topicThatIsKnownInThisRun_needsNoFlush() throws Exception {
        known.add("out");
        OrderedWriter<String, String, String> writer = writer(WriteFailures.fail(), true);
        clients.getFirst().answersAtSend = true;
        send(writer, "out", 0, 1);
        assertThat(clients.getFirst().flushes).isZero();
        send(writer, "new", 2, 3);
        assertThat(clients.getFirst().flushes).isEqualTo(1);
        assertThat(announced).containsExactly("out", "new");
    }

    @Test
    void record_behindTheFirstOfItsPartition_isSentOnceThatIsAnswered() throws Exception {
        OrderedWriter<String, String, String> writer = writer(WriteFailures.fail(), false);
        clients.getFirst().partitions = 2;
        sendTo(writer, 0, 0);
        sendTo(writer, 1, 1);
        assertThat(acknowledged).containsExactly(0L);
        List<Long> acknowledgedAtSend = new ArrayList<>();
        onSend = value -> acknowledgedAtSend.addAll(acknowledged);
        Thread sending = Thread.currentThread();
        Thread answering = Thread.ofPlatform().start(() -> {
            while (sending.getState() != Thread.State.TIMED_WAITING && acknowledgedAtSend.isEmpty()) {
                Thread.onSpinWait();
            }
            clients.getFirst().answerNext();
        });
        sendTo(writer, 1, 2);
        answering.join();
        assertThat(acknowledgedAtSend).containsExactly(0L, 1L);
    }

    private void sendTo(OrderedWriter<String, String, String> writer, int partition, int token)
            throws InterruptedException {
        ProducerRecord<String, String> record = new ProducerRecord<>("out", partition, "k", Integer.toString(token));
        writer.send(record, new Kept<>("element " + token, record, writer.nextOrdinal(), target, token));
    }

    @Test
    void window_hasTheBoundOfTheTopicsPartitions_andHoldsTheSenderBack() throws Exception {
        OrderedWriter<String, String, String> writer = writer(WriteFailures.fail(), false);
        Client client = clients.getFirst();
        client.partitions = 2;
        send(writer, "out", 0);
        assertThat(window.bound()).isEqualTo(Long.MAX_VALUE);
        writer.refresh(System.nanoTime());
        assertThat(window.bound()).isEqualTo(2 * 11 * 100);
        writer.awaitWindow();
        send(writer, "out", 1);
        client.usedBytes = 2 * 11 * 100 + 1;
        Thread.currentThread().interrupt();
        assertThatThrownBy(writer::awaitWindow).isInstanceOf(InterruptedException.class);
        assertThat(writer.handle().snapshot().blockedNanos()).isPositive();
        client.answerNext();
        writer.awaitWindow();
    }

    @Test
    void vainWait_ofAWrittenTopic_isRepeated_andAReasonToCheckTheTopic() throws Exception {
        OrderedWriter<String, String, String> writer = writer(WriteFailures.fail(), false);
        send(writer, "out", 0);
        clients.getFirst().notTaken.add(new TimeoutException("planted"));
        send(writer, "out", 1);
        assertThat(suspected).containsExactly("out");
        writer.finish();
        assertThat(acknowledged).containsExactly(0L, 1L);
    }

    // ---- Failures --------------------------------------------------------------------------------------------------

    @Test
    void refusedRecord_failsTheRun_onceAllOutcomesAreKnown() throws Exception {
        OrderedWriter<String, String, String> writer = withThreeInFlight(WriteFailures.fail(), false);
        verdict = value -> value.equals("1") ? invalid : null;
        clients.getFirst().answerNext();
        assertThat(writer.isStopped()).isTrue();
        assertThat(writer.failure()).isNull();
        assertThat(settled).isZero();
        clients.getFirst().answerNext();
        clients.getFirst().answerNext();
        assertThat(settled).isEqualTo(1);
        assertThat(writer.failure()).isInstanceOf(ProduceException.class).hasMessageContaining("in-0@1");
        assertThatThrownBy(writer::settle).isInstanceOf(ProduceException.class).hasMessageContaining("in-0@1");
        assertThat(acknowledged).containsExactly(0L);
        assertThat(clients).hasSize(1);
        assertThat(writer.close(Duration.ZERO)).isEqualTo("3 records sent without an answer");
        assertThat(writer.failure()).as("of a closed writer").isNull();
    }

    /** The user's rule says nothing about a client that may not write at all. */
    @Test
    void refusalThatNoRuleCovers_failsTheRun() throws Exception {
        OrderedWriter<String, String, String> writer = withThreeInFlight(WriteFailures.skip(), false);
        verdict = value -> new AuthenticationException("planted");
        clients.getFirst().flush();
        assertThat(writer.failure()).hasMessageContaining("planted");
        assertThatThrownBy(writer::settle).hasMessageContaining("planted");
        assertThat(clients).hasSize(1);
    }

    @Test
    void clientThatIsBroken_failsTheRun_unlessTheWriterIsClosed() throws Exception {
        OrderedWriter<String, String, String> writer = withThreeInFlight(WriteFailures.fail(), true);
        writer.look(0);
        clients.getFirst().splits = 1_000;
        writer.look(MILLI);
        assertThat(context.failures).hasSize(1);
        assertThat(context.failures.getFirst()).isInstanceOf(KafkaPipelineException.class);
        assertThat(writer.close(Duration.ZERO)).isEqualTo("3 records sent without an answer");
        writer.look(2 * MILLI);
        assertThat(context.failures).hasSize(1);
        assertThat(clients.getFirst().closed()).as("shared").isFalse();
    }

    // ---- Another client --------------------------------------------------------------------------------------------

    @Test
    void recordsAfterARefusal_areSentAgainInOrder_withoutTheFaultyOne() throws Exception {
        OrderedWriter<String, String, String> writer = withThreeInFlight(WriteFailures.skip(), false);
        verdict = value -> value.equals("2") ? invalid : null;
        clients.getFirst().flush();
        assertThat(writer.failure()).as("covered by the rule").isNull();
        assertThat(acknowledged).containsExactly(0L, 1L);
        List<Integer> depths = new ArrayList<>();
        onSend = value -> depths.add(writer.depth());
        writer.settle();
        assertThat(clients).hasSize(2);
        assertThat(clients.getFirst().closed()).isTrue();
        assertThat(values(clients.getLast())).containsExactly("2", "3");
        assertThat(depths).as("records that are not written yet").containsExactly(2, 1);
        assertThat(acknowledged).containsExactly(0L, 1L, 2L, 3L);
        assertThat(writer.depth()).isZero();
        assertThat(writer.close(Duration.ZERO)).isEmpty();
        assertThat(meter.elementsOut()).as("written").isEqualTo(3);
    }

    /** The brokers do not know the new client, so its first record must be answered before the second is sent. */
    @Test
    void anotherClient_sendsItsFirstRecordAlone() throws Exception {
        OrderedWriter<String, String, String> writer = withThreeInFlight(WriteFailures.skip(), false);
        verdict = value -> value.equals("1") ? invalid : null;
        clients.getFirst().flush();
        verdict = value -> null;
        List<List<Long>> acknowledgedAtSend = new ArrayList<>();
        onSend = value -> acknowledgedAtSend.add(List.copyOf(acknowledged));
        writer.settle();
        assertThat(acknowledgedAtSend).containsExactly(List.of(0L), List.of(0L, 1L), List.of(0L, 1L, 2L));
        assertThat(acknowledged).containsExactly(0L, 1L, 2L, 3L);
        assertThat(announced).containsExactly("out", "out");
    }

    /** Brokers refuse a batch for one of its records. Only records that may be the reason are sent alone. */
    @Test
    void secondRefusal_whileRecordsAreSentAgain_leadsToAnotherClient() throws Exception {
        OrderedWriter<String, String, String> writer = withThreeInFlight(WriteFailures.skip(), false);
        verdict = value -> value.equals("1") ? invalid : null;
        clients.getFirst().flush();
        verdict = value -> value.equals("1") || (value.equals("3") && clients.size() == 2) ? invalid : null;
        writer.finish();
        assertThat(clients).hasSize(3);
        assertThat(values(clients.get(1))).containsExactly("1", "2", "3");
        assertThat(values(clients.get(2))).containsExactly("3");
        assertThat(acknowledged).containsExactly(0L, 1L, 2L, 3L);
        assertThat(writer.depth()).isZero();
    }

    @Test
    void recordsBehindASecondRefusal_areSentAgainAsWell() throws Exception {
        OrderedWriter<String, String, String> writer = withThreeInFlight(WriteFailures.skip(), false);
        verdict = value -> value.equals("1") ? invalid : null;
        clients.getFirst().flush();
        verdict = value -> value.equals("2") && clients.size() == 2 ? invalid : null;
        writer.finish();
        assertThat(values(clients.get(1))).containsExactly("1", "2");
        assertThat(values(clients.get(2))).containsExactly("2", "3");
        assertThat(acknowledged).containsExactly(0L, 1L, 2L, 3L);
        assertThat(List.of(writer.nextOrdinal(), writer.nextOrdinal())).containsExactly(4L, 5L);
    }

    @Test
    void clientThatCannotBeOpened_isTriedAgainAfterAPause() throws Exception {
        OrderedWriter<String, String, String> writer = withThreeInFlight(WriteFailures.skip(), false);
        verdict = value -> value.equals("1") ? invalid : null;
        clients.getFirst().flush();
        unopened.add(new KafkaException("no name resolves"));
        unopened.add(new KafkaException("no name resolves"));
        writer.settle();
        assertThat(nowNanos).isGreaterThan(100 * MILLI);
        assertThat(clients).hasSize(2);
        assertThat(acknowledged).containsExactly(0L, 1L, 2L, 3L);
    }

    @Test
    void interruptWhileAClientIsOpened_leavesTheRecordsUnwritten() throws Exception {
        OrderedWriter<String, String, String> writer = withThreeInFlight(WriteFailures.skip(), false);
        verdict = value -> value.equals("1") ? invalid : null;
        clients.getFirst().flush();
        unopened.add(new InterruptException("planted"));
        assertThat(Thread.interrupted()).as("set by the exception").isTrue();
        assertThatThrownBy(writer::settle).isInstanceOf(InterruptException.class);
        assertThat(acknowledged).containsExactly(0L);
        assertThat(writer.close(Duration.ZERO)).isEqualTo("3 records sent without an answer");
    }

    /** The second client is refused a record that no rule covers. Neither it nor the records behind it are written. */
    @Test
    void failureWhileRecordsAreSentAgain_leavesThoseBehindUnwritten() throws Exception {
        OrderedWriter<String, String, String> writer = withThreeInFlight(WriteFailures.skip(), false);
        verdict = value -> value.equals("1") ? invalid : null;
        clients.getFirst().flush();
        verdict = value -> value.equals("1") ? new AuthenticationException("planted") : null;
        assertThatThrownBy(writer::settle).hasMessageContaining("planted");
        assertThat(acknowledged).containsExactly(0L);
        assertThat(writer.close(Duration.ZERO)).isEqualTo("2 records sent without an answer");
    }

    // ---- Records that are sent alone -------------------------------------------------------------------------------

    /** The client could not tell which record the brokers refuse, so each of them may be too large. */
    @Test
    void recordsThatAClientSplitWithoutEnd_areSentAloneEach() throws Exception {
        OrderedWriter<String, String, String> writer = withThreeInFlight(WriteFailures.skip(), false);
        writer.look(0);
        clients.getFirst().splits = 1_000;
        writer.look(MILLI);
        assertThat(context.failures).isEmpty();
        verdict = value -> value.equals("2") ? new RecordTooLargeException("planted") : null;
        List<Integer> depths = new ArrayList<>();
        onSend = value -> depths.add(writer.depth());
        writer.settle();
        assertThat(values(clients.getLast())).containsExactly("1", "2", "3");
        assertThat(depths).containsExactly(3, 2, 1);
        assertThat(clients.getLast().flushes).isGreaterThanOrEqualTo(3);
        assertThat(acknowledged).containsExactly(0L, 1L, 2L, 3L);
        assertThat(meter.elementsOut()).as("written").isEqualTo(3);
        assertThat(clients).as("the search needs no third client").hasSize(2);
    }

    /** All brokers of the topic are down for a while. */
    @Test
    void recordThatIsSentAlone_andTimesOut_isSentAgainAfterAPause() throws Exception {
        OrderedWriter<String, String, String> writer = withThreeInFlight(WriteFailures.skip(), false);
        verdict = value -> value.equals("1") ? invalid : null;
        clients.getFirst().flush();
        Queue<RuntimeException> vain =
                new ArrayDeque<>(List.of(new TimeoutException("planted"), new TimeoutException("planted")));
        verdict = value -> vain.poll();
        suspected.clear();
        writer.settle();
        assertThat(values(clients.getLast())).containsExactly("1", "1", "1", "2", "3");
        assertThat(suspected).containsExactly("out", "out");
        assertThat(nowNanos).isGreaterThan(100 * MILLI);
        assertThat(acknowledged).containsExactly(0L, 1L, 2L, 3L);
    }

    /** A record of another writer was in the same batch. */
    @Test
    void recordThatIsSentAlone_andFailsForAnotherWritersRecord_isSentAgain() throws Exception {
        OrderedWriter<String, String, String> writer = withThreeInFlight(WriteFailures.fail(), true);
        Queue<RuntimeException> refusals = new ArrayDeque<>(List.of(ofANeighbour));
        verdict = value -> refusals.poll();
        clients.getFirst().flush();
        assertThat(writer.failure()).isNull();
        refusals.add(ofANeighbour);
        clients.getFirst().answersAtSend = true;
        writer.settle();
        assertThat(clients).hasSize(1);
        assertThat(values(clients.getFirst())).containsExactly("0", "1", "2", "3", "1", "1", "2", "3");
        assertThat(acknowledged).containsExactly(0L, 1L, 2L, 3L);
        assertThat(writer.close(Duration.ZERO)).isEmpty();
    }

    @Test
    void interruptWhileARecordIsSentAlone_isNoRefusal() throws Exception {
        OrderedWriter<String, String, String> writer = withThreeInFlight(WriteFailures.skip(), false);
        verdict = value -> value.equals("1") ? invalid : null;
        clients.getFirst().flush();
        onSend = value -> {
            throw new InterruptException("planted");
        };
        assertThatThrownBy(writer::settle).isInstanceOf(InterruptException.class);
        assertThat(Thread.interrupted()).as("set by the exception").isTrue();
        assertThat(acknowledged).containsExactly(0L);
    }

    /** The brokers refuse all records of the topic, so one of them is enough. */
    @Test
    void recordsOfARefusedTopic_areNotSentAgain() throws Exception {
        OrderedWriter<String, String, String> writer = writer(WriteFailures.skip(), false);
        send(writer, "out", 0);
        send(writer, "bad", 1, 2, 3);
        send(writer, "out", 4);
        assertThat(acknowledged).containsExactly(0L, 1L);
        verdict = value -> "23".contains(value) ? new TopicAuthorizationException("bad") : null;
        writer.finish();
        assertThat(values(clients.getLast())).containsExactly("2");
        send(writer, "bad", 5);
        writer.finish();
        assertThat(values(clients.getLast())).containsExactly("2");
        assertThat(acknowledged).containsExactly(0L, 1L, 4L, 2L, 3L, 5L);
        assertThat(writer.depth()).isZero();
        assertThat(writer.close(Duration.ZERO)).isEmpty();
    }

    /** A client that answers on the calling thread. A closed client fails the records without an answer. */
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread at a time
    private final class Client extends MockProducer<String, String> {

        private final Queue<String> unanswered = new ArrayDeque<>();
        private final Queue<RuntimeException> notTaken = new ArrayDeque<>();
        private boolean answersAtSend;
        private int partitions = 1;
        private int flushes;
        private double usedBytes;
        private double splits;
        private boolean answering;

        Client() {
            super(false, null, new StringSerializer(), new StringSerializer());
        }

        @Override
        public Future<RecordMetadata> send(ProducerRecord<String, String> record, Callback callback) {
            onSend.accept(record.value());
            RuntimeException refusal = notTaken.poll();
            if (refusal != null) {
                callback.onCompletion(null, refusal);
                return CompletableFuture.failedFuture(refusal);
            }
            Future<RecordMetadata> sent = super.send(record, callback);
            unanswered.add(record.value());
            if (answersAtSend) {
                answerNext();
            }
            return sent;
        }

        void answerNext() {
            answer(verdict.apply(unanswered.remove()));
        }

        private void answer(@Nullable RuntimeException refusal) {
            answering = true;
            try {
                boolean ignored = refusal == null ? completeNext() : errorNext(refusal);
            } finally {
                answering = false;
            }
        }

        @Override
        public void flush() {
            flushes++;
            while (!unanswered.isEmpty()) {
                answerNext();
            }
        }

        @Override
        public void close(Duration timeout) {
            super.close(timeout);
            while (!answering && !unanswered.isEmpty()) {
                unanswered.remove();
                answer(new KafkaException("Producer is closed forcefully."));
            }
        }

        @Override
        public List<PartitionInfo> partitionsFor(String topic) {
            Node leader = new Node(1, "h", 1);
            return Collections.nCopies(partitions, new PartitionInfo(topic, 0, leader, null, null));
        }

        @Override
        public Map<MetricName, Metric> metrics() {
            return Map.of(
                    name("batch-split-total"), metric("batch-split-total"),
                    name("buffer-total-bytes"), metric("buffer-total-bytes"),
                    name("buffer-available-bytes"), metric("buffer-available-bytes"));
        }

        private MetricName name(String name) {
            return new MetricName(name, "producer-metrics", "", Map.of());
        }

        private Metric metric(String name) {
            return new Metric() {
                @Override
                public MetricName metricName() {
                    return name(name);
                }

                @Override
                public Object metricValue() {
                    return switch (name) {
                        case "batch-split-total" -> splits;
                        case "buffer-total-bytes" -> 1e6;
                        default -> 1e6 - usedBytes;
                    };
                }
            };
        }
    }
}
