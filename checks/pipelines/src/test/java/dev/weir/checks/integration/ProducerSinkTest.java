package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Source;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the producing sink with records that cannot be written, and without a broker. */
class ProducerSinkTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(
            KafkaCluster.builder().forked().brokerConfig("auto.create.topics.enable", "false"));

    private static ProducerSettings<byte[], byte[]> settings() {
        return ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .produce(OnLeanProducing.current())
                .property("max.block.ms", "2000")
                .property("buffer.memory", "1048576")
                .build();
    }

    private static byte[] bytes(Object value) {
        return value.toString().getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void missingTopic_failsAndNamesIt() throws Exception {
        try (RunningPipeline running = Source.of(new ProducerRecord<byte[], byte[]>("nowhere", bytes("x")))
                .to(KafkaSink.with(settings()).records())
                .run()) {
            assertThatThrownBy(running::await)
                    .isInstanceOf(ProduceException.class)
                    .hasMessageContaining("nowhere");
        }
    }

    @Test
    void recordTooLarge_failsAndNamesTheTopic() throws Exception {
        KAFKA.cluster().createTopic("small", 1);
        try (RunningPipeline running = Source.of(new ProducerRecord<byte[], byte[]>("small", new byte[2_000_000]))
                .to(KafkaSink.with(settings()).records())
                .run()) {
            assertThatThrownBy(running::await)
                    .isInstanceOf(ProduceException.class)
                    .hasMessageContaining("small");
        }
    }

    // The broker is down for longer than the client waits for buffer space, so send() fails and is repeated.
    @Test
    void brokerAwayWithBufferFull_waitsAndKeepsOrder() throws Exception {
        KAFKA.cluster().createTopic("away", 1);
        int records = 200_000;
        var source =
                Source.from(() -> IntStream.range(0, records).mapToObj(n -> n).iterator());
        try (RunningPipeline running = source.map(
                        n -> new ProducerRecord<byte[], byte[]>("away", 0, bytes("k"), bytes(n)))
                .to(KafkaSink.with(settings()).records())
                .run()) {
            ConsumerLedger.await(
                    "first records",
                    Duration.ofSeconds(30),
                    () -> Collections.max(KAFKA.cluster().endOffsets("away").values()) > 0);
            KAFKA.cluster().broker(1).freeze();
            ConsumerLedger.work(Duration.ofSeconds(5));
            KAFKA.cluster().broker(1).thaw();
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(Records.numbers(Records.readAll(KAFKA.bootstrapServers(), "away", IsolationLevel.READ_UNCOMMITTED)))
                .isEqualTo(LongStream.range(0, records).boxed().toList());
    }
}
