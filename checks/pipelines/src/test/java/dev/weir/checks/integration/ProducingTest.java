package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Sender;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.produce.Message;
import dev.weir.kafka.produce.Produced;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests, for each way to produce, the rule for records that cannot be written, and the order of results. Also tests a
 * producer outside pipelines.
 */
@Timeout(120)
class ProducingTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokerConfig("auto.create.topics.enable", "false"));

    private static final int COUNT = 400;
    private static final String MISSING = "nowhere";

    /** Records with this number modulo 100 are too large. The next constants mark other faults. */
    private static final int TOO_LARGE = 7;

    private static final int NOT_SERIALISABLE = 8;
    private static final int WITHOUT_TOPIC = 9;

    /** The ways to produce. */
    enum Way {
        RECORDS {
            @Override
            <T> Pipeline close(
                    Source<T> source, Function<T, ProducerRecord<byte[], byte[]>> to, KafkaSink<byte[], byte[]> by) {
                return source.map(to).to(by.records());
            }
        },
        MESSAGES {
            @Override
            <T> Pipeline close(
                    Source<T> source, Function<T, ProducerRecord<byte[], byte[]>> to, KafkaSink<byte[], byte[]> by) {
                return source.map(each -> Message.single(to.apply(each), each)).to(by.<T>messages());
            }
        },
        FLOW {
            @Override
            <T> Pipeline close(
                    Source<T> source, Function<T, ProducerRecord<byte[], byte[]>> to, KafkaSink<byte[], byte[]> by) {
                return source.map(each -> Message.single(to.apply(each), each))
                        .via(by.<T>flow())
                        .to(Sink.ignore());
            }
        };

        abstract <T> Pipeline close(
                Source<T> source, Function<T, ProducerRecord<byte[], byte[]>> to, KafkaSink<byte[], byte[]> by);
    }

    private static ConsumerSettings<byte[], byte[]> consumer(String group) {
        return ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(group)
                .commitInterval(Duration.ofMillis(50))
                .build();
    }

    private static ProducerSettings<byte[], byte[]> producer() {
        Serializer<byte[]> picky = (topic, value) -> {
            if (value != null && value.length == NOT_SERIALISABLE) {
                throw new SerializationException("not of this form");
            }
            return value;
        };
        return ProducerSettings.builder(new ByteArraySerializer(), picky)
                .bootstrapServers(KAFKA.bootstrapServers())
                .produce(OnLeanProducing.current())
                .property("max.block.ms", "2000")
                .build();
    }

    private static DeadLetterTopic deadLetters(String name) {
        return DeadLetterTopic.of(
                name + "-dead",
                ProducerSettings.builder()
                        .bootstrapServers(KAFKA.bootstrapServers())
                        .produce(OnLeanProducing.current())
                        .build());
    }

    private static void createTopics(String name) {
        KAFKA.cluster().createTopic(name, 2);
        KAFKA.cluster().createTopic(name + "-out", 2);
        KAFKA.cluster().createTopic(name + "-dead", 1);
        Records.produce(KAFKA.bootstrapServers(), name, 0, COUNT, 7);
    }

    private static int kind(ConsumerRecord<byte[], byte[]> record) {
        return (int) (Records.numbers(List.of(record)).getFirst() % 100);
    }

    private static boolean isPoison(int kind) {
        return kind == TOO_LARGE || kind == NOT_SERIALISABLE || kind == WITHOUT_TOPIC;
    }

    private static ProducerRecord<byte[], byte[]> made(String name, ConsumerRecord<byte[], byte[]> record) {
        return switch (kind(record)) {
            case TOO_LARGE -> new ProducerRecord<>(name + "-out", record.key(), new byte[3_000_000]);
            case NOT_SERIALISABLE -> new ProducerRecord<>(name + "-out", record.key(), new byte[NOT_SERIALISABLE]);
            case WITHOUT_TOPIC -> new ProducerRecord<>(MISSING, record.key(), record.value());
            default -> new ProducerRecord<>(name + "-out", record.key(), record.value());
        };
    }

    private static Pipeline pipeline(String name, Way way, KafkaSink<byte[], byte[]> by) {
        Source<ConsumerRecord<byte[], byte[]>> records = KafkaSource.from(
                        consumer(name), Subscription.topics(name).untilEnd())
                .atLeastOnce();
        return way.close(records, record -> made(name, record), by);
    }

    private static void assertOthersAreWrittenAndAllIsCommitted(String name) {
        assertThat(new TreeSet<>(numbers(name + "-out")))
                .containsExactlyElementsOf(LongStream.range(0, COUNT)
                        .filter(number -> !isPoison((int) (number % 100)))
                        .boxed()
                        .toList());
        assertThat(KAFKA.cluster().committedOffsets(name))
                .isEqualTo(KAFKA.cluster().endOffsets(name));
    }

    private static List<Long> numbers(String topic) {
        return Records.numbers(read(topic));
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(String topic) {
        return Records.readAll(KAFKA.bootstrapServers(), topic, IsolationLevel.READ_UNCOMMITTED);
    }

    private static void assertDeadLetters(String name) {
        List<DeadLetterRecord> deadLetters =
                read(name + "-dead").stream().map(DeadLetterRecord::read).toList();
        List<String> poison = read(name).stream()
                .filter(record -> isPoison(kind(record)))
                .map(record -> record.topic() + "-" + record.partition() + "@" + record.offset())
                .sorted()
                .toList();
        assertThat(deadLetters.stream()
                        .map(deadLetter ->
                                deadLetter.topic() + "-" + deadLetter.partition() + "@" + deadLetter.offset())
                        .sorted())
                .isEqualTo(poison);
        assertThat(deadLetters)
                .filteredOn(deadLetter -> MISSING.equals(deadLetter.header(DeadLetterHeaders.OUTPUT)))
                .hasSize(COUNT / 100)
                .allSatisfy(deadLetter -> {
                    assertThat(deadLetter.isWhole()).isTrue();
                    assertThat(deadLetter.restored().topic()).isEqualTo(MISSING);
                    assertThat(deadLetter.restored().partition()).isNull();
                    assertThat(new String(deadLetter.restored().value(), UTF_8)).endsWith("9");
                });
        assertThat(deadLetters)
                .filteredOn(deadLetter -> (name + "-out").equals(deadLetter.header(DeadLetterHeaders.OUTPUT)))
                .hasSize(2 * COUNT / 100)
                .noneMatch(DeadLetterRecord::isWhole);
    }

    @ParameterizedTest
    @EnumSource(names = "RECORDS")
    void whatCannotBeWritten_becomesADeadLetterWithThePlaceOfItsInput(Way way) throws Exception {
        String name = "letters-" + way;
        createTopics(name);
        var by = KafkaSink.with(producer()).onFailure(WriteFailures.deadLetter(deadLetters(name)));
        assertThat(pipeline(name, way, by).run().await().drained()).isTrue();
        assertOthersAreWrittenAndAllIsCommitted(name);
        assertDeadLetters(name);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"MESSAGES", "FLOW"})
    void whatCannotBeWritten_inOtherWays_becomesADeadLetterWithThePlaceOfItsInput(Way way) throws Exception {
        whatCannotBeWritten_becomesADeadLetterWithThePlaceOfItsInput(way);
    }

    @ParameterizedTest
    @EnumSource(names = "FLOW")
    void whatCannotBeWritten_byASharedProducer_becomesADeadLetter(Way way) throws Exception {
        String name = "shared-" + way;
        createTopics(name);
        try (Sender<byte[], byte[]> sender = Sender.open(producer())) {
            var by = KafkaSink.with(sender).onFailure(WriteFailures.deadLetter(deadLetters(name)));
            assertThat(pipeline(name, way, by).run().await().drained()).isTrue();
            assertOthersAreWrittenAndAllIsCommitted(name);
            assertDeadLetters(name);
            // The sender is still open.
            assertThat(sender.sendAndWait(new ProducerRecord<>(name + "-out", 0, null, null))
                            .hasOffset())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"RECORDS", "MESSAGES"})
    void whatCannotBeWritten_byASharedProducerInOtherWays_becomesADeadLetter(Way way) throws Exception {
        whatCannotBeWritten_byASharedProducer_becomesADeadLetter(way);
    }

    @ParameterizedTest
    @EnumSource(names = "MESSAGES")
    void whatCannotBeWritten_underARuleToSkip_isAcknowledged(Way way) throws Exception {
        String name = "skipped-" + way;
        createTopics(name);
        var by = KafkaSink.with(producer()).onFailure(WriteFailures.skip());
        assertThat(pipeline(name, way, by).run().await().drained()).isTrue();
        assertOthersAreWrittenAndAllIsCommitted(name);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "MESSAGES")
    void whatCannotBeWritten_underARuleToSkipInOtherWays_isAcknowledged(Way way) throws Exception {
        whatCannotBeWritten_underARuleToSkip_isAcknowledged(way);
    }

    @ParameterizedTest
    @EnumSource
    void whatCannotBeWritten_withoutARule_failsTheRunAndNamesTheInput(Way way) throws Exception {
        String name = "failing-" + way;
        createTopics(name);
        assertThatThrownBy(() ->
                        pipeline(name, way, KafkaSink.with(producer())).run().await())
                .isInstanceOf(ProduceException.class)
                .hasMessageContaining("what was made of " + name + "-");
        long committed = KAFKA.cluster().committedOffsets(name).values().stream()
                .mapToLong(offset -> offset)
                .sum();
        assertThat(committed).as("records committed").isLessThan(COUNT);
    }

    /** Regression: the flow stalled, because one group never gave up the shared thread. */
    @Test
    void flow_inGroups_emitsAllResults() throws Exception {
        KAFKA.cluster().createTopic("groups", 1);
        List<Integer> results = new ArrayList<>();
        List<Integer> numbers = IntStream.range(0, 100).boxed().toList();
        Source.from(numbers)
                .map(number -> Message.single(new ProducerRecord<byte[], byte[]>("groups", bytes(number)), number))
                .groupBy(
                        message -> message.passThrough() % 3,
                        10,
                        group -> group.via(KafkaSink.with(producer()).<Integer>flow()))
                .map(Produced::passThrough)
                .to(Sink.forEach(results::add))
                .run()
                .completion()
                .get(60, TimeUnit.SECONDS);
        assertThat(results).containsExactlyInAnyOrderElementsOf(numbers);
        assertThat(numbers("groups")).hasSize(100);
    }

    @Test
    void results_comeInTheOrderOfTheInput_withThePlacesOfAllRecords() throws Exception {
        KAFKA.cluster().createTopic("results-one", 3);
        KAFKA.cluster().createTopic("results-two", 1);
        List<Produced<Integer>> results = new ArrayList<>();
        int count = 20_000;
        RunningPipeline run = Source.from(IntStream.range(0, count).boxed().toList())
                .map(number -> Message.multi(
                        number % 10 == 0
                                ? List.<ProducerRecord<byte[], byte[]>>of()
                                : List.of(
                                        new ProducerRecord<byte[], byte[]>("results-one", bytes(number)),
                                        new ProducerRecord<byte[], byte[]>("results-two", bytes(number))),
                        number))
                .via(KafkaSink.with(producer()).maxInFlight(500).<Integer>flow())
                .to(Sink.forEach(results::add))
                .run();
        run.await();
        assertThat(run.handles(ProducerHandle.class)).hasSize(1);
        assertThat(results)
                .extracting(Produced::passThrough)
                .isEqualTo(IntStream.range(0, count).boxed().toList());
        List<Long> two = numbers("results-two");
        for (Produced<Integer> result : results) {
            if (result.passThrough() % 10 == 0) {
                assertThat(result.metadata()).isEmpty();
            } else {
                assertThat(result.metadata())
                        .extracting(RecordMetadata::topic)
                        .containsExactly("results-one", "results-two");
                int offset = (int) result.metadata().getLast().offset();
                assertThat(two.get(offset)).isEqualTo(result.passThrough().longValue());
            }
        }
    }

    private static byte[] bytes(int number) {
        return ("1" + String.format("%09d", number)).substring(1).getBytes(UTF_8);
    }

    @Test
    void messagesOfSeveralRecords_areAcknowledgedWhenAllAreWritten() throws Exception {
        createTopics("several");
        KAFKA.cluster().createTopic("several-too", 1);
        assertThat(KafkaSource.from(
                                consumer("several"),
                                Subscription.topics("several").untilEnd())
                        .atLeastOnce()
                        .map(record -> Message.multi(
                                List.of(
                                        new ProducerRecord<>("several-out", record.key(), record.value()),
                                        new ProducerRecord<>("several-too", record.key(), record.value())),
                                record.offset()))
                        .to(KafkaSink.with(producer()).maxInFlight(50).<Long>messages())
                        .run()
                        .await()
                        .drained())
                .isTrue();
        List<Long> all = LongStream.range(0, COUNT).boxed().toList();
        assertThat(numbers("several-out").stream().sorted()).isEqualTo(all);
        assertThat(numbers("several-too").stream().sorted()).isEqualTo(all);
        assertThat(KAFKA.cluster().committedOffsets("several"))
                .isEqualTo(KAFKA.cluster().endOffsets("several"));
    }

    @Test
    void sender_writesOutsideOfPipelines() throws Exception {
        KAFKA.cluster().createTopic("sent", 1);
        try (Sender<byte[], byte[]> sender = Sender.open(producer())) {
            assertThat(sender.sendAndWait(new ProducerRecord<>("sent", bytes(0)))
                            .offset())
                    .isZero();
            assertThat(sender.send(new ProducerRecord<>("sent", bytes(1)))
                            .get(60, TimeUnit.SECONDS)
                            .offset())
                    .isEqualTo(1);
            assertThat(sender.sendAll(
                            List.of(new ProducerRecord<>("sent", bytes(2)), new ProducerRecord<>("sent", bytes(3)))))
                    .extracting(RecordMetadata::offset)
                    .containsExactly(2L, 3L);
            assertThat(sender.sendAll(Collections.emptyList())).isEmpty();
            assertThatThrownBy(() -> sender.sendAll(List.of(
                            new ProducerRecord<>("sent", bytes(4)),
                            new ProducerRecord<>("sent", new byte[NOT_SERIALISABLE]))))
                    .isInstanceOf(ProduceException.class)
                    .hasMessageContaining("sent");
            assertThatThrownBy(() ->
                            sender.send(new ProducerRecord<>(MISSING, bytes(5))).get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ProduceException.class);
        }
        assertThat(numbers("sent")).startsWith(0L, 1L, 2L, 3L);
    }
}
