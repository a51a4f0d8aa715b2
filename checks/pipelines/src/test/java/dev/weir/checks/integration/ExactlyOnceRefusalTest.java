package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests transactions with a record that is too large for its topic. Kafka's client splits its batch endlessly. */
@Timeout(120)
class ExactlyOnceRefusalTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final int COUNT = 3_000;

    private static ProducerSettings<byte[], byte[]> producer() {
        return ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .property("batch.size", "16384")
                .build();
    }

    private static ProducerRecord<byte[], byte[]> made(String name, ConsumerRecord<byte[], byte[]> record) {
        ProducerRecord<byte[], byte[]> made = new ProducerRecord<>(name + "-out", 0, record.key(), record.value());
        if (record.offset() == 800) {
            made.headers().add("large", new byte[5000]);
        }
        return made;
    }

    private static Pipeline pipeline(String name) {
        ConsumerSettings<byte[], byte[]> consumer = ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(name)
                .build();
        Subscription toTheEnd = Subscription.topics(name).untilEnd();
        if (name.equals("flow")) {
            return KafkaSource.from(consumer, toTheEnd)
                    .exactlyOnce()
                    .commitInterval(Duration.ofMillis(50))
                    .produceTo(producer(), records -> records.map(record -> made(name, record)));
        }
        return KafkaSource.from(consumer, toTheEnd)
                .atLeastOnce()
                .map(record -> made(name, record))
                .to(KafkaSink.with(producer()).transactional(name).records());
    }

    // Regression: the run waited forever.
    @ParameterizedTest
    @ValueSource(strings = {"flow", "sink"})
    void recordTooLargeForTheBroker_failsTheRunAndSaysWhatToDo_andTheNextOneWritesEachOnce(String name)
            throws Exception {
        KAFKA.cluster().createTopic(name, 1);
        KAFKA.cluster().createTopic(name + "-out", 1);
        TopicLimits.setMaxMessageBytes(KAFKA.cluster(), name + "-out", "3000");
        Records.produce(KAFKA.bootstrapServers(), name, 0, COUNT, 7);
        try (RunningPipeline running = pipeline(name).run()) {
            assertThatThrownBy(running::await)
                    .isInstanceOf(KafkaPipelineException.class)
                    .hasMessageContaining("max.message.bytes")
                    .hasMessageContaining("batch.size");
        }
        TopicLimits.setMaxMessageBytes(KAFKA.cluster(), name + "-out", "1000000");
        try (RunningPipeline running = pipeline(name).run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(ExactlyOnceLedger.committed(KAFKA.cluster(), name + "-out"))
                .isEqualTo(LongStream.range(0, COUNT).boxed().toList());
    }
}
