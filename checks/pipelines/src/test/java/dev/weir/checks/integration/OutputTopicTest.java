package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Source;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterException;
import dev.weir.testkit.KafkaClusterExtension;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests output topics that are deleted while a sink writes to them. */
@Timeout(120)
class OutputTopicTest {

    private static final Duration SOON = Duration.ofMinutes(1);

    /** A cluster whose brokers create requested topics, as by default. */
    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokerConfig("auto.create.topics.enable", "true"));

    private static Pipeline writing(String topic, String bootstrapServers) {
        ProducerSettings<byte[], byte[]> settings = ProducerSettings.builder()
                .bootstrapServers(bootstrapServers)
                .produce(OnLeanProducing.current())
                .property("max.block.ms", "2000")
                .property("metadata.max.age.ms", "2000")
                .build();
        return Source.from(() -> IntStream.iterate(0, n -> n + 1).boxed().iterator())
                .throttle(500, Duration.ofSeconds(1))
                .map(n -> new ProducerRecord<byte[], byte[]>(topic, new byte[10]))
                .to(KafkaSink.with(settings).records());
    }

    /**
     * Deletes a topic without waiting until it is gone: the producer may cause the brokers to recreate it immediately.
     */
    private static void delete(String topic) throws Exception {
        KAFKA.cluster().admin().deleteTopics(List.of(topic)).all().get();
    }

    private static void awaitRecords(KafkaCluster cluster, String topic) throws Exception {
        ConsumerLedger.await(
                "records in " + topic,
                SOON,
                () -> Collections.max(cluster.endOffsets(topic).values()) > 100);
    }

    // Regression: the producer recreated the topic with one partition, and the run continued.
    @Test
    void topic_thatIsDeletedAndComesBackByItself_failsTheRunByName() throws Exception {
        KAFKA.cluster().createTopic("back", 3);
        try (RunningPipeline running = writing("back", KAFKA.bootstrapServers()).run()) {
            awaitRecords(KAFKA.cluster(), "back");
            ConsumerLedger.work(Duration.ofSeconds(2));
            delete("back");
            assertThatThrownBy(running::await)
                    .isInstanceOf(KafkaPipelineException.class)
                    .hasMessageContaining("output topic back was deleted")
                    .hasMessageContaining("start again");
        }
    }

    @Test
    void topic_thatIsRecreatedByHand_failsTheRunByName() throws Exception {
        KAFKA.cluster().createTopic("anew", 3);
        try (RunningPipeline running = writing("anew", KAFKA.bootstrapServers()).run()) {
            awaitRecords(KAFKA.cluster(), "anew");
            ConsumerLedger.work(Duration.ofSeconds(2));
            delete("anew");
            ConsumerLedger.await("created", SOON, () -> {
                try {
                    KAFKA.cluster().createTopic("anew", 3);
                    return true;
                } catch (RuntimeException notGoneYet) {
                    return isMadeByTheProducer("anew");
                }
            });
            assertThatThrownBy(running::await)
                    .isInstanceOf(KafkaPipelineException.class)
                    .hasMessageContaining("output topic anew was deleted and recreated since this run began");
        }
    }

    @Test
    void topic_thatIsDeletedForGood_failsTheRunByName() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder()
                .brokerConfig("auto.create.topics.enable", "false")
                .start()) {
            cluster.createTopic("gone", 3);
            try (RunningPipeline running =
                    writing("gone", cluster.bootstrapServers()).run()) {
                awaitRecords(cluster, "gone");
                cluster.deleteTopic("gone");
                assertThatThrownBy(running::await)
                        .isInstanceOf(KafkaPipelineException.class)
                        .hasMessageContaining("output topic gone was deleted since this run began");
                assertThat(running.completion()).isDone();
            }
        }
    }

    /** Returns whether the topic has one partition, like all topics that brokers create automatically. */
    private static boolean isMadeByTheProducer(String topic) {
        try {
            return KAFKA.cluster().endOffsets(topic).size() == 1;
        } catch (KafkaClusterException goneJustNow) {
            return false;
        }
    }
}
