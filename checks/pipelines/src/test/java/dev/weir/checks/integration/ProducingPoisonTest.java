package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Sender;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.produce.Message;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests each way to produce, with brokers that refuse one of a thousand records together with its batch. Regression:
 * the batch's other records failed the flow, regardless of its rule.
 */
@Timeout(120)
class ProducingPoisonTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final int COUNT = 1_000;
    private static final int POISON = 500;
    private static final int KEYS = 7;

    /** The ways to produce. */
    enum Way {
        RECORDS,
        MESSAGES,
        FLOW;

        Pipeline close(Source<ProducerRecord<byte[], byte[]>> records, KafkaSink<byte[], byte[]> by) {
            return switch (this) {
                case RECORDS -> records.to(by.records());
                case MESSAGES ->
                    records.map(record -> Message.single(record, record))
                            .to(by.<ProducerRecord<byte[], byte[]>>messages());
                case FLOW ->
                    records.map(record -> Message.single(record, record))
                            .via(by.<ProducerRecord<byte[], byte[]>>flow())
                            .to(Sink.ignore());
            };
        }
    }

    /** Returns settings with small batches: several are in flight, and others wait. */
    private static ProducerSettings<byte[], byte[]> producer() {
        return ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .produce(OnLeanProducing.current())
                .property("batch.size", "2000")
                .build();
    }

    private static void createTopics(String name) {
        KAFKA.cluster().createTopic(name, 1);
        // The compacted topic refuses a record without a key.
        KAFKA.cluster().createTopic(name + "-out", 2, Map.of("cleanup.policy", "compact"));
        KAFKA.cluster().createTopic(name + "-dead", 1);
        Records.produce(KAFKA.bootstrapServers(), name, 0, COUNT, KEYS);
    }

    private static ProducerRecord<byte[], byte[]> made(String name, ConsumerRecord<byte[], byte[]> record) {
        int partition = (int) (record.offset() % KEYS % 2);
        byte @Nullable [] key = record.offset() == POISON ? null : record.key();
        return new ProducerRecord<>(name + "-out", partition, key, record.value());
    }

    private static void run(String name, Way way, KafkaSink<byte[], byte[]> by) throws Exception {
        ConsumerSettings<byte[], byte[]> consumer = ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(name)
                .commitInterval(Duration.ofMillis(50))
                .build();
        var records = KafkaSource.from(consumer, Subscription.topics(name).untilEnd())
                .atLeastOnce()
                .map(record -> made(name, record));
        assertThat(way.close(records, by).run().await().drained()).isTrue();
    }

    private static WriteFailures deadLetters(String name) {
        return WriteFailures.deadLetter(DeadLetterTopic.of(
                name + "-dead",
                ProducerSettings.builder()
                        .bootstrapServers(KAFKA.bootstrapServers())
                        .produce(OnLeanProducing.current())
                        .build()));
    }

    /** Checks that the other records are written, and that their last occurrences are in order. */
    private static List<Long> assertOthersWritten(String name, int partition) {
        List<Long> written = Records.numbers(
                Records.readAll(KAFKA.bootstrapServers(), name + "-out", IsolationLevel.READ_UNCOMMITTED).stream()
                        .filter(record -> record.partition() == partition)
                        .toList());
        assertThat(new LinkedHashSet<>(written.reversed()).stream().toList().reversed())
                .as("last of each in partition %s", partition)
                .isEqualTo(others(partition));
        return written;
    }

    private static List<Long> others(int partition) {
        return LongStream.range(0, COUNT)
                .filter(number -> number != POISON && number % KEYS % 2 == partition)
                .boxed()
                .toList();
    }

    private static void assertCommitted(String name) {
        assertThat(KAFKA.cluster().committedOffsets(name))
                .isEqualTo(KAFKA.cluster().endOffsets(name));
    }

    private static void assertOneDeadLetter(String name) {
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), name + "-dead"))
                .singleElement()
                .satisfies(deadLetter -> {
                    assertThat(deadLetter.offset()).isEqualTo(POISON);
                    assertThat(deadLetter.header(DeadLetterHeaders.OUTPUT)).isEqualTo(name + "-out");
                    assertThat(deadLetter.header(DeadLetterHeaders.CAUSE)).contains("InvalidRecordException");
                });
    }

    @ParameterizedTest
    @EnumSource(names = "RECORDS")
    void poison_becomesTheLetter_andAllOthersAreWrittenInOrder(Way way) throws Exception {
        String name = "letters-" + way;
        createTopics(name);
        run(name, way, KafkaSink.with(producer()).onFailure(deadLetters(name)));
        for (int partition = 0; partition < 2; partition++) {
            // A pipeline's own producer sends no later record before the refused record.
            assertThat(assertOthersWritten(name, partition).stream().distinct().toList())
                    .isEqualTo(others(partition));
        }
        assertOneDeadLetter(name);
        assertCommitted(name);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"MESSAGES", "FLOW"})
    void poison_inOtherWays_becomesTheLetter_andAllOthersAreWrittenInOrder(Way way) throws Exception {
        poison_becomesTheLetter_andAllOthersAreWrittenInOrder(way);
    }

    @ParameterizedTest
    @EnumSource(names = "MESSAGES")
    void poison_underARuleToSkip_isLeftOut_andAllOthersAreWrittenInOrder(Way way) throws Exception {
        String name = "skip-" + way;
        createTopics(name);
        run(name, way, KafkaSink.with(producer()).onFailure(WriteFailures.skip()));
        for (int partition = 0; partition < 2; partition++) {
            assertThat(assertOthersWritten(name, partition).stream().distinct().toList())
                    .isEqualTo(others(partition));
        }
        assertCommitted(name);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"RECORDS", "FLOW"})
    void poison_underARuleToSkipInOtherWays_isLeftOut_andAllOthersAreWrittenInOrder(Way way) throws Exception {
        poison_underARuleToSkip_isLeftOut_andAllOthersAreWrittenInOrder(way);
    }

    @ParameterizedTest
    @EnumSource(names = "FLOW")
    void poison_inASharedProducer_becomesTheLetter_andTheLastOfEachKeyIsTheLast(Way way) throws Exception {
        String name = "shared-" + way;
        createTopics(name);
        try (Sender<byte[], byte[]> sender = Sender.open(producer())) {
            run(name, way, KafkaSink.with(sender).onFailure(deadLetters(name)));
        }
        for (int partition = 0; partition < 2; partition++) {
            assertOthersWritten(name, partition);
        }
        assertOneDeadLetter(name);
        assertCommitted(name);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"RECORDS", "MESSAGES"})
    void poison_inASharedProducerInOtherWays_becomesTheLetter_andTheLastOfEachKeyIsTheLast(Way way) throws Exception {
        poison_inASharedProducer_becomesTheLetter_andTheLastOfEachKeyIsTheLast(way);
    }
}
