package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExactlyOnceFlow;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.TransactionHandle;
import dev.weir.kafka.deadletter.DeadLetterHandle;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests records that an exactly-once flow cannot write, and what a reader with read_committed sees. */
@Timeout(120)
class ExactlyOnceRuleTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokerConfig("auto.create.topics.enable", "false"));

    /** Few records, because the producer often waits for the missing topic. */
    private static final int COUNT = 200;

    private static final byte[] NOT_SERIALISABLE = new byte[8];

    /** Creates the topics. The output topic is compacted, so it refuses a record without a key. */
    private static void createTopics(String name) {
        KAFKA.cluster().createTopic(name, 1);
        KAFKA.cluster().createTopic(name + "-out", 1, Map.of("cleanup.policy", "compact"));
        KAFKA.cluster().createTopic(name + "-log", 1);
        KAFKA.cluster().createTopic(name + "-dead", 1);
        Records.produce(KAFKA.bootstrapServers(), name, 0, COUNT, 7);
    }

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

    private static DeadLetterTopic deadLetters(String name) {
        return DeadLetterTopic.of(
                name + "-dead",
                ProducerSettings.builder()
                        .bootstrapServers(KAFKA.bootstrapServers())
                        .build());
    }

    private static ExactlyOnceFlow<byte[], byte[]> flow(String name, FetchPath path, WriteFailures rule) {
        return KafkaSource.from(
                        ConsumerSettings.builder()
                                .bootstrapServers(KAFKA.bootstrapServers())
                                .groupId(name)
                                .fetch(path)
                                .build(),
                        Subscription.topics(name))
                .exactlyOnce()
                .onFailure(rule);
    }

    private static long number(ConsumerRecord<byte[], byte[]> record) {
        return Records.numbers(List.of(record)).getFirst();
    }

    /** Poisons four of every hundred records: too large, not serialisable, without a topic, refused by the broker. */
    private static ProducerRecord<byte[], byte[]> poisoned(String name, ConsumerRecord<byte[], byte[]> record) {
        String out = name + "-out";
        return switch ((int) (number(record) % 100)) {
            case 50 -> new ProducerRecord<>(out, record.key(), new byte[3_000_000]);
            case 51 -> new ProducerRecord<>(out, record.key(), NOT_SERIALISABLE);
            case 52 -> new ProducerRecord<>("nowhere", record.key(), record.value());
            case 53 -> new ProducerRecord<>(out, null, record.value());
            default -> new ProducerRecord<>(out, record.key(), record.value());
        };
    }

    private static boolean isPoison(long number) {
        return number % 100 >= 50 && number % 100 <= 53;
    }

    private static List<Long> numbers(LongPredicate which) {
        return LongStream.range(0, COUNT).filter(which).boxed().toList();
    }

    private static List<Long> seen(String topic) {
        return ExactlyOnceLedger.committed(KAFKA.cluster(), topic);
    }

    /** Drains the run after everything is committed. */
    private static void drainOnceAllIsCommitted(RunningPipeline run, String name) throws InterruptedException {
        ConsumerLedger.await(
                "all is committed",
                Duration.ofSeconds(60),
                () -> KAFKA.cluster()
                        .committedOffsets(name)
                        .equals(KAFKA.cluster().endOffsets(name)));
        assertThat(run.drain(Duration.ofSeconds(30)).drained()).isTrue();
    }

    private static void assertFailsNamingTheInput(Pipeline pipeline, String input, Class<? extends Throwable> why) {
        try (RunningPipeline run = pipeline.run()) {
            assertThatThrownBy(() -> run.completion().toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ProduceException.class)
                    .hasMessageContaining(input)
                    .hasRootCauseInstanceOf(why);
        }
    }

    /** An input has two output records. If one is refused, the other is still written. */
    @ParameterizedTest
    @CsvSource({"SKIP,LEAN", "DEAD_LETTER,CLIENT"})
    void whatCannotBeWritten_comesUnderTheRule_andAllOthersAreSeenOnceInOrder(
            WriteFailures.Action action, FetchPath path) throws Exception {
        String name = "poisoned-" + action + "-" + path;
        createTopics(name);
        boolean writesDeadLetters = action == WriteFailures.Action.DEAD_LETTER;
        try (RunningPipeline run = flow(
                        name,
                        path,
                        writesDeadLetters ? WriteFailures.deadLetter(deadLetters(name)) : WriteFailures.skip())
                .commitRecords(65)
                .produceTo(
                        picky(),
                        records -> records.mapConcat(record -> List.of(
                                poisoned(name, record),
                                new ProducerRecord<>(name + "-log", record.key(), record.value()))))
                .run()) {
            drainOnceAllIsCommitted(run, name);
            assertThat(run.handles(TransactionHandle.class)
                            .getFirst()
                            .snapshot()
                            .aborted())
                    .isPositive();
            assertThat(run.handles(DeadLetterHandle.class))
                    .hasSize(writesDeadLetters ? 1 : 0)
                    .allSatisfy(handle -> {
                        assertThat(handle.written()).isEqualTo(8);
                        // Counts the dead-letter records of the records that are too large or not serialisable.
                        assertThat(handle.cut()).isEqualTo(4);
                        assertThat(handle.held()).isZero();
                    });
        }
        assertThat(seen(name + "-out")).isEqualTo(numbers(number -> !isPoison(number)));
        assertThat(seen(name + "-log")).isEqualTo(numbers(number -> true));
        assertThat(KAFKA.cluster().committedOffsets(name))
                .isEqualTo(KAFKA.cluster().endOffsets(name));
        List<DeadLetterRecord> deadLetters = FailureTopics.deadLetters(KAFKA.cluster(), name + "-dead");
        assertThat(deadLetters)
                .extracting(DeadLetterRecord::offset)
                .isEqualTo(writesDeadLetters ? numbers(ExactlyOnceRuleTest::isPoison) : List.of());
        assertThat(deadLetters)
                .allSatisfy(deadLetter -> assertThat(deadLetter.topic()).isEqualTo(name));
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"SKIP,CLIENT", "DEAD_LETTER,LEAN"})
    void whatCannotBeWritten_onTheOtherPath_comesUnderTheRule_andAllOthersAreSeenOnceInOrder(
            WriteFailures.Action action, FetchPath path) throws Exception {
        whatCannotBeWritten_comesUnderTheRule_andAllOthersAreSeenOnceInOrder(action, path);
    }

    @Test
    void letter_ofATransactionThatIsAborted_isNotSeen_andStandsThereOnceAfterTheNextRun() throws Exception {
        String name = "aborted";
        createTopics(name);
        ExactlyOnceFlow<byte[], byte[]> flow = flow(name, FetchPath.CLIENT, WriteFailures.deadLetter(deadLetters(name)))
                .commitInterval(Duration.ofSeconds(20));
        try (RunningPipeline run = flow.produceTo(
                        picky(),
                        records -> records.map(record -> {
                            if (number(record) == COUNT - 1) {
                                throw new IllegalStateException("planned");
                            }
                            return poisoned(name, record);
                        }))
                .run()) {
            assertThatThrownBy(() -> run.completion().toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .hasRootCauseMessage("planned");
        }
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), name + "-dead")).isEmpty();
        try (RunningPipeline run = flow.commitInterval(Duration.ofMillis(500))
                .produceTo(picky(), records -> records.map(record -> poisoned(name, record)))
                .run()) {
            drainOnceAllIsCommitted(run, name);
        }
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), name + "-dead"))
                .extracting(DeadLetterRecord::offset)
                .isEqualTo(numbers(ExactlyOnceRuleTest::isPoison));
    }

    // Regression: the run restarted the transaction endlessly.
    @Test
    void recordThatTheBrokerRefuses_amongItsNeighbours_failsTheRun() {
        createTopics("neighbours");
        assertFailsNamingTheInput(
                flow("neighbours", FetchPath.CLIENT, WriteFailures.fail())
                        .produceTo(
                                picky(),
                                records -> records.map(record -> new ProducerRecord<>(
                                        "neighbours-out",
                                        number(record) == COUNT / 2 ? null : record.key(),
                                        record.value()))),
                "neighbours-0@" + COUNT / 2,
                InvalidRecordException.class);
        assertThat(seen("neighbours-out")).isEmpty();
    }

    /** The rule covers one failure, but not the other. The run must fail, whichever is reported first. */
    @ParameterizedTest
    @EnumSource(names = "CLIENT")
    void failureThatTheRuleIsNotFor_behindOneThatItIsFor_endsTheRun(FetchPath path) {
        String name = "both-" + path;
        createTopics(name);
        assertFailsNamingTheInput(
                flow(name, path, WriteFailures.skip().ofRecordsOnly())
                        .commitInterval(Duration.ofSeconds(20))
                        .produceTo(picky(), records -> records.map(record -> poisoned(name, record))),
                name + "-0@52",
                UnknownTopicOrPartitionException.class);
        assertThat(seen(name + "-out")).isEmpty();
        assertThat(KAFKA.cluster().committedOffsets(name).values()).allMatch(offset -> offset == 0);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = "LEAN")
    void failureThatTheRuleIsNotFor_onTheLeanPath_endsTheRun(FetchPath path) {
        failureThatTheRuleIsNotFor_behindOneThatItIsFor_endsTheRun(path);
    }

    @Test
    void letterThatItsTopicRefuses_endsTheRun_andNothingOfItsTransactionIsSeen() throws Exception {
        createTopics("full");
        TopicLimits.setMaxMessageBytes(KAFKA.cluster(), "full-dead", "100");
        assertFailsNamingTheInput(
                flow("full", FetchPath.CLIENT, WriteFailures.deadLetter(deadLetters("full")))
                        .commitInterval(Duration.ofSeconds(20))
                        .produceTo(picky(), records -> records.map(record -> poisoned("full", record))),
                "full-0@5",
                RecordTooLargeException.class);
        assertThat(seen("full-out")).isEmpty();
    }
}
