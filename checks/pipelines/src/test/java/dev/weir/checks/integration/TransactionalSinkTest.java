package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.TransactionHandle;
import dev.weir.kafka.TransactionalSink;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Source;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests a transactional sink after a source other than Kafka, as seen by a reader with read_committed. */
@Timeout(120)
class TransactionalSinkTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokerConfig("auto.create.topics.enable", "false"));

    private static TransactionalSink<byte[], byte[]> sink(String id) {
        return KafkaSink.with(ProducerSettings.builder()
                        .bootstrapServers(KAFKA.bootstrapServers())
                        .build())
                .transactional(id);
    }

    private static List<Long> seen(String topic) {
        return Records.numbers(Records.readAll(KAFKA.bootstrapServers(), topic, IsolationLevel.READ_COMMITTED)).stream()
                .sorted()
                .toList();
    }

    private static List<Long> numbers(int count) {
        return LongStream.range(0, count).boxed().toList();
    }

    @Test
    void records_areSeenOnce_andTheirInputsAreAcknowledged() throws Exception {
        KAFKA.cluster().createTopic("booked", 2);
        Numbers numbers = new Numbers("booked", 2_500, false);
        try (RunningPipeline run = Source.<ProducerRecord<byte[], byte[]>>custom("numbers", context -> numbers)
                .to(sink("booking").commitRecords(1_000).records())
                .run()) {
            run.await();
            assertThat(run.handles(TransactionHandle.class)
                            .getFirst()
                            .snapshot()
                            .committed())
                    .isGreaterThanOrEqualTo(3);
        }
        assertThat(seen("booked")).isEqualTo(numbers(2_500));
        assertThat(numbers.acknowledged).containsExactlyElementsOf(numbers(2_500));
    }

    @Test
    void interceptors_ofTheSettings_seeEachRecord_andEachAnswer() throws Exception {
        KAFKA.cluster().createTopic("watched", 1);
        Numbers numbers = new Numbers("watched", 300, false);
        ProducerSettings<byte[], byte[]> settings = ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .property("interceptor.classes", Counting.class.getName())
                .build();
        try (RunningPipeline run = Source.<ProducerRecord<byte[], byte[]>>custom("numbers", context -> numbers)
                .to(KafkaSink.with(settings).records())
                .run()) {
            run.await();
        }
        assertThat(Counting.SENT).hasValue(300);
        assertThat(Counting.ANSWERED).hasValue(300);
    }

    public static final class Counting implements ProducerInterceptor<byte[], byte[]> {

        static final AtomicInteger SENT = new AtomicInteger();
        static final AtomicInteger ANSWERED = new AtomicInteger();

        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            SENT.incrementAndGet();
            return record;
        }

        @Override
        public void onAcknowledgement(RecordMetadata metadata, Exception refusal) {
            ANSWERED.incrementAndGet();
        }

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> config) {}
    }

    /** The source does not end, so only the commit interval can cause the commit. */
    @Test
    void transaction_thatIsNotFull_isCommittedWhenItsTimeHasCome() throws Exception {
        KAFKA.cluster().createTopic("timed", 1);
        Numbers numbers = new Numbers("timed", 10, true);
        try (RunningPipeline run = Source.<ProducerRecord<byte[], byte[]>>custom("numbers", context -> numbers)
                .to(sink("timing").records())
                .run()) {
            ConsumerLedger.await(
                    "all is acknowledged", Duration.ofSeconds(40), () -> numbers.acknowledged.size() == 10);
            assertThat(seen("timed")).isEqualTo(numbers(10));
            assertThat(run.completion().toCompletableFuture()).isNotDone();
            numbers.more.countDown();
            run.await();
        }
    }

    @Test
    void recordThatIsTooLarge_failsTheRun_andNothingOfItsTransactionIsSeenOrAcknowledged() {
        KAFKA.cluster().createTopic("refused", 1);
        Numbers numbers = new Numbers("refused", 500, false);
        RunningPipeline run = Source.<ProducerRecord<byte[], byte[]>>custom("numbers", context -> numbers)
                .map(record -> numbers.isLast(record)
                        ? new ProducerRecord<byte[], byte[]>("refused", new byte[2_000_000])
                        : record)
                // A long interval, so that even a slow machine uses one transaction.
                .to(sink("refusing").commitInterval(Duration.ofSeconds(10)).records())
                .run();
        assertThatThrownBy(() -> run.completion().toCompletableFuture().get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(ProduceException.class);
        run.close();
        assertThat(seen("refused")).isEmpty();
        assertThat(numbers.acknowledged).isEmpty();
    }

    private static final int POISONED = 1_000;

    /** Returns whether a record is one of four poisoned ones in every hundred. */
    private static boolean isPoison(long number) {
        return number % 100 >= 50 && number % 100 <= 53;
    }

    private static ProducerRecord<byte[], byte[]> poisoned(String name, ConsumerRecord<byte[], byte[]> record) {
        long number = Records.numbers(List.of(record)).getFirst();
        return switch ((int) (number % 100)) {
            case 50 -> new ProducerRecord<>(name + "-out", record.key(), new byte[3_000_000]);
            case 51 -> new ProducerRecord<>(name + "-out", record.key(), NOT_SERIALISABLE);
            case 52 -> new ProducerRecord<>("nowhere", record.key(), record.value());
            case 53 -> new ProducerRecord<>(name + "-out", null, record.value());
            default -> new ProducerRecord<>(name + "-out", record.key(), record.value());
        };
    }

    private static final byte[] NOT_SERIALISABLE = new byte[8];

    private static ProducerSettings<byte[], byte[]> picky() {
        Serializer<byte[]> values = (topic, value) -> {
            if (value == NOT_SERIALISABLE) {
                throw new SerializationException("not of this form");
            }
            return value;
        };
        return ProducerSettings.builder(new ByteArraySerializer(), values)
                .bootstrapServers(KAFKA.bootstrapServers())
                .property("max.block.ms", "3000")
                .build();
    }

    /** A refused record fails its whole batch. The other records must still be written, in order. */
    @ParameterizedTest
    @EnumSource(names = "DEAD_LETTER")
    void whatCannotBeWritten_comesUnderTheRule_andAllOthersAreSeenOnce(WriteFailures.Action action) throws Exception {
        String name = "poisoned-" + action.name().toLowerCase(Locale.ROOT);
        KAFKA.cluster().createTopic(name, 1);
        KAFKA.cluster().createTopic(name + "-out", 1, Map.of("cleanup.policy", "compact"));
        KAFKA.cluster().createTopic(name + "-dead", 1);
        Records.produce(KAFKA.bootstrapServers(), name, 0, POISONED, 7);
        WriteFailures rule = action == WriteFailures.Action.SKIP
                ? WriteFailures.skip()
                : WriteFailures.deadLetter(DeadLetterTopic.of(
                        name + "-dead",
                        ProducerSettings.builder()
                                .bootstrapServers(KAFKA.bootstrapServers())
                                .build()));
        try (RunningPipeline run = KafkaSource.from(
                        ConsumerSettings.builder()
                                .bootstrapServers(KAFKA.bootstrapServers())
                                .groupId(name)
                                .build(),
                        Subscription.topics(name).untilEnd())
                .atLeastOnce()
                .map(record -> poisoned(name, record))
                .to(KafkaSink.with(picky())
                        .transactional(name)
                        .commitRecords(130)
                        .onFailure(rule)
                        .records())
                .run()) {
            assertThat(run.await().drained()).isTrue();
        }
        assertThat(Records.numbers(
                        Records.readAll(KAFKA.bootstrapServers(), name + "-out", IsolationLevel.READ_COMMITTED)))
                .containsExactlyElementsOf(LongStream.range(0, POISONED)
                        .filter(number -> !isPoison(number))
                        .boxed()
                        .toList());
        assertThat(KAFKA.cluster().committedOffsets(name))
                .isEqualTo(KAFKA.cluster().endOffsets(name));
        if (action == WriteFailures.Action.DEAD_LETTER) {
            assertThat(FailureTopics.deadLetters(KAFKA.cluster(), name + "-dead"))
                    .extracting(DeadLetterRecord::offset)
                    .containsExactlyInAnyOrderElementsOf(LongStream.range(0, POISONED)
                            .filter(TransactionalSinkTest::isPoison)
                            .boxed()
                            .toList());
        }
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = "SKIP")
    void whatCannotBeWritten_underARuleToSkip_andAllOthersAreSeenOnce(WriteFailures.Action action) throws Exception {
        whatCannotBeWritten_comesUnderTheRule_andAllOthersAreSeenOnce(action);
    }

    @Test
    void anotherRunOfTheId_endsTheFirstOne_andWhatThatHadOpenIsNotSeen() throws Exception {
        KAFKA.cluster().createTopic("taken", 1);
        Numbers first = new Numbers("taken", 100, true);
        try (RunningPipeline fenced = Source.<ProducerRecord<byte[], byte[]>>custom("numbers", context -> first)
                .to(sink("taking").commitInterval(Duration.ofSeconds(25)).records())
                .run()) {
            ConsumerLedger.await(
                    "its records are there",
                    Duration.ofSeconds(40),
                    () -> KAFKA.cluster().endOffsets("taken").values().stream()
                                    .mapToLong(end -> end)
                                    .sum()
                            >= 100);
            Numbers second = new Numbers("taken", 10, false);
            try (RunningPipeline run = Source.<ProducerRecord<byte[], byte[]>>custom("numbers", context -> second)
                    .to(sink("taking").records())
                    .run()) {
                run.await();
            }
            first.more.countDown();
            assertThatThrownBy(() -> fenced.completion().toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(KafkaPipelineException.class)
                    .hasMessageContaining("transactional.id=taking");
        }
        assertThat(seen("taken")).isEqualTo(numbers(10));
        assertThat(first.acknowledged).isEmpty();
    }

    /**
     * A source of numbered records that counts acknowledgements. It can emit one more record at the end, on a signal.
     */
    private static final class Numbers implements Stage<ProducerRecord<byte[], byte[]>>, AckTarget {

        final Set<Long> acknowledged = new ConcurrentSkipListSet<>();
        final CountDownLatch more = new CountDownLatch(1);
        private final String topic;
        private final int count;
        private final boolean waits;
        private int next;

        Numbers(String topic, int count, boolean waits) {
            this.topic = topic;
            this.count = count;
            this.waits = waits;
        }

        private ProducerRecord<byte[], byte[]> record(int number) {
            return new ProducerRecord<>(topic, Integer.toString(number).getBytes(StandardCharsets.US_ASCII));
        }

        boolean isLast(ProducerRecord<byte[], byte[]> record) {
            return new String(record.value(), StandardCharsets.US_ASCII).equals(Integer.toString(count - 1));
        }

        @Override
        public @Nullable Batch<ProducerRecord<byte[], byte[]>> pull(long deadlineNanos) throws InterruptedException {
            Batch<ProducerRecord<byte[], byte[]>> batch = new Batch<>(100);
            for (; next < count && batch.size() < 100; next++) {
                batch.add(record(next), this, next);
            }
            if (batch.isEmpty() && (!waits || awaitMore(deadlineNanos))) {
                return null;
            }
            return batch;
        }

        private boolean awaitMore(long deadlineNanos) throws InterruptedException {
            if (deadlineNanos == NEVER) {
                more.await();
                return true;
            }
            return more.await(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public void ack(long token) {
            acknowledged.add(token);
        }

        @Override
        public void retain(long token, int claims) {
            throw new UnsupportedOperationException("one record in, one record out");
        }

        @Override
        public void close() {}
    }
}
