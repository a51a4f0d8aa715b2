package dev.weir.kafka.internal.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.produce.ProducePath;
import dev.weir.lean.LeanCompression;
import dev.weir.lean.LeanProducerSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeanProducerConfigTest {

    private static LeanProducerSettings of(String... namesAndValues) {
        var builder = ProducerSettings.builder().bootstrapServers("h:1").producePath(ProducePath.LEAN);
        for (int i = 0; i < namesAndValues.length; i += 2) {
            builder.property(namesAndValues[i], namesAndValues[i + 1]);
        }
        return LeanProducerConfig.of(builder.build().clientConfig());
    }

    @Test
    void defaults_areThoseOfWeirAndOfTheClient() {
        LeanProducerSettings settings = of();
        assertThat(settings.deliveryTimeout()).isEqualTo(Duration.ofMillis(Integer.MAX_VALUE));
        assertThat(settings.batchBytes()).isEqualTo(128 * 1024);
        assertThat(settings.maxRequestBytes()).isEqualTo(1024 * 1024);
        assertThat(settings.linger()).isEqualTo(Duration.ofMillis(5));
        assertThat(settings.maxBlock()).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void properties_ofTheClient_areRead() {
        LeanProducerSettings settings = of(
                "linger.ms", "7",
                "buffer.memory", "2000000",
                "batch.size", "500",
                "max.request.size", "70000",
                "compression.type", "zstd",
                "delivery.timeout.ms", "60000",
                "request.timeout.ms", "9000",
                "max.block.ms", String.valueOf(Long.MAX_VALUE),
                "acks", "-1",
                "retries", String.valueOf(Integer.MAX_VALUE),
                "sasl.mechanism", "PLAIN",
                "schema.registry.url", "of a plug-in");
        assertThat(settings.linger()).isEqualTo(Duration.ofMillis(7));
        assertThat(settings.bufferBytes()).isEqualTo(2_000_000);
        assertThat(settings.batchBytes()).as("at least").isEqualTo(1_024);
        assertThat(settings.maxRequestBytes()).isEqualTo(70_000);
        assertThat(settings.compression()).isEqualTo(LeanCompression.ZSTD);
        assertThat(settings.deliveryTimeout()).isEqualTo(Duration.ofMinutes(1));
        assertThat(settings.requestTimeout()).isEqualTo(Duration.ofSeconds(9));
        assertThat(settings.maxBlock()).as("at most").isEqualTo(Duration.ofDays(1));
        assertThat(of("max.request.size", "70000").batchBytes())
                .as("no more than a request")
                .isEqualTo(70_000);
    }

    /** Whatever comes to the client with a new version: it is read here, or refused. */
    @Test
    void everyProperty_isReadOrRefused() {
        Map<String, String> changed = new HashMap<>();
        ProducerConfig.configDef().configKeys().forEach((name, key) -> {
            switch (key.type) {
                case BOOLEAN -> changed.put(name, String.valueOf(!Boolean.TRUE.equals(key.defaultValue)));
                case INT, LONG, SHORT, DOUBLE -> changed.put(name, "12345");
                default -> {}
            }
        });
        changed.keySet().removeIf(name -> name.startsWith("ssl.") || name.startsWith("sasl."));
        Map<String, String> read = Map.of(
                "batch.size", "batchBytes",
                "linger.ms", "linger",
                "buffer.memory", "bufferBytes",
                "max.request.size", "maxRequestBytes",
                "delivery.timeout.ms", "deliveryTimeout",
                "request.timeout.ms", "requestTimeout",
                "max.block.ms", "maxBlock",
                "reconnect.backoff.max.ms", "maxBackoff",
                "metadata.max.age.ms", "metadataMaxAge");
        assertThat(changed).containsKeys(read.keySet().toArray(String[]::new));
        changed.keySet().removeAll(read.keySet());
        assertThat(changed)
                .isNotEmpty()
                .allSatisfy((name, value) -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> of(name, value))
                        .withMessageContaining(name + "="));
    }

    @Test
    void client_isTheDefault_andReadsWhatLeanDoesNot(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(
                folder.resolve("c.properties"), "bootstrap.servers=h:1\nretries=3\nweir.produce=client\n");
        assertThat(ProducerSettings.builder().bootstrapServers("h:1").build().producePath())
                .isEqualTo(ProducePath.CLIENT);
        ProducerSettings<byte[], byte[]> settings =
                ProducerSettings.builder().from(file).build();
        assertThat(settings.producePath()).isEqualTo(ProducePath.CLIENT);
        assertThat(settings.toBuilder().build()).isEqualTo(settings);
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> settings.toBuilder().producePath(ProducePath.LEAN).build())
                .withMessageContaining("retries=3");
    }
}
