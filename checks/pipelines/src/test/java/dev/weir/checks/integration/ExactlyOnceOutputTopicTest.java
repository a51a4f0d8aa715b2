package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.TransactionHandle;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests output topics that are deleted while an exactly-once flow writes to them. {@link OutputTopicTest} covers flows
 * without transactions.
 */
@Timeout(180)
class ExactlyOnceOutputTopicTest {

    private static final Duration SOON = Duration.ofMinutes(1);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokerConfig("auto.create.topics.enable", "false"));

    private static Pipeline writing(String name) {
        KAFKA.cluster().createTopic(name + "-in", 1);
        KAFKA.cluster().createTopic(name, 3);
        Records.produce(KAFKA.bootstrapServers(), name + "-in", 0, 200_000, 7);
        ProducerSettings<byte[], byte[]> producer = ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .property("metadata.max.age.ms", "2000")
                .build();
        return KafkaSource.from(ConsumerLedger.settings(KAFKA.cluster(), name).build(), name + "-in")
                .exactlyOnce()
                .produceTo(
                        producer,
                        records -> records.throttle(500, Duration.ofSeconds(1))
                                .map(record -> new ProducerRecord<>(name, record.key(), record.value())));
    }

    /** Waits for some transactions, so that the run knows its output topic. */
    private static void awaitTransactions(RunningPipeline running) throws Exception {
        TransactionHandle handle = running.handles(TransactionHandle.class).getFirst();
        ConsumerLedger.await("transactions", SOON, () -> handle.snapshot().committed() >= 30);
    }

    // Regression: the run continued with the recreated topic.
    @Test
    void topic_thatIsRecreated_failsTheRunByName() throws Exception {
        Pipeline pipeline = writing("again");
        try (RunningPipeline running = pipeline.run()) {
            awaitTransactions(running);
            KAFKA.cluster().admin().deleteTopics(List.of("again")).all().get();
            ConsumerLedger.await("created", SOON, () -> {
                try {
                    KAFKA.cluster().createTopic("again", 3);
                    return true;
                } catch (RuntimeException notGoneYet) {
                    return false;
                }
            });
            assertThatThrownBy(running::await)
                    .isInstanceOf(KafkaPipelineException.class)
                    .hasMessageContaining("output topic again was deleted and recreated since this run began");
        }
    }

    @Test
    @Tag("long")
    void topic_thatIsDeletedForGood_failsTheRunByName() throws Exception {
        Pipeline pipeline = writing("vanishing");
        try (RunningPipeline running = pipeline.run()) {
            awaitTransactions(running);
            KAFKA.cluster().deleteTopic("vanishing");
            assertThatThrownBy(running::await)
                    .isInstanceOf(KafkaPipelineException.class)
                    .hasMessageContaining("vanishing");
        }
    }
}
