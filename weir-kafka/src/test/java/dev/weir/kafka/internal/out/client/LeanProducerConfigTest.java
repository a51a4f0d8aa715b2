package dev.weir.kafka.internal.out.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import dev.weir.lean.LeanCompression;
import dev.weir.lean.LeanProducerSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeanProducerConfigTest {

    private static LeanProducerSettings of(String... namesAndValues) {
        var builder = ProducerSettings.builder().bootstrapServers("h:1").produce(ProducePath.LEAN);
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

    /** Maps properties of Kafka's client to getters of the settings. */
    private static final Map<String, Function<LeanProducerSettings, Object>> READ = Map.ofEntries(
            Map.entry("batch.size", LeanProducerSettings::batchBytes),
            Map.entry("linger.ms", LeanProducerSettings::linger),
            Map.entry("buffer.memory", LeanProducerSettings::bufferBytes),
            Map.entry("max.request.size", LeanProducerSettings::maxRequestBytes),
            Map.entry("delivery.timeout.ms", LeanProducerSettings::deliveryTimeout),
            Map.entry("request.timeout.ms", LeanProducerSettings::requestTimeout),
            Map.entry("max.block.ms", LeanProducerSettings::maxBlock),
            Map.entry("reconnect.backoff.max.ms", LeanProducerSettings::maxBackoff),
            Map.entry("metadata.max.age.ms", LeanProducerSettings::metadataMaxAge),
            Map.entry("compression.type", LeanProducerSettings::compression),
            Map.entry("bootstrap.servers", LeanProducerSettings::properties),
            Map.entry("client.id", LeanProducerSettings::properties),
            Map.entry("security.protocol", LeanProducerSettings::properties));

    /** The serializers come from the settings, not from properties. */
    private static final Set<String> SERIALIZERS = Set.of("key.serializer", "value.serializer");

    private static String another(ConfigDef.ConfigKey key) {
        return switch (key.name) {
            case "bootstrap.servers" -> "other:2";
            case "compression.type" -> "zstd";
            case "security.protocol" -> "SSL";
            case "buffer.memory" -> "12345678";
            case "delivery.timeout.ms" -> "123456";
            default ->
                switch (key.type) {
                    case BOOLEAN -> String.valueOf(!Boolean.TRUE.equals(key.defaultValue));
                    case INT, LONG, SHORT, DOUBLE -> "12345";
                    default -> "x";
                };
        };
    }

    /** A new version of Kafka's client may add properties. */
    @Test
    void everyProperty_isReadOrRefused() {
        LeanProducerSettings unchanged = of();
        Map<String, ConfigDef.ConfigKey> all =
                new HashMap<>(ProducerConfig.configDef().configKeys());
        assertThat(all).containsKeys(READ.keySet().toArray(String[]::new));
        all.keySet().removeAll(SERIALIZERS);
        all.keySet().removeIf(name -> name.startsWith("ssl.") || name.startsWith("sasl."));
        all.forEach((name, key) -> {
            Function<LeanProducerSettings, Object> getter = READ.get(name);
            if (getter == null) {
                assertThatIllegalArgumentException()
                        .as(name)
                        .isThrownBy(() -> of(name, another(key)))
                        .withMessageContaining(name + "=");
            } else {
                assertThat(getter.apply(of(name, another(key)))).as(name).isNotEqualTo(getter.apply(unchanged));
            }
        });
    }

    @Test
    void client_isTheDefault_andReadsWhatLeanDoesNot(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(
                folder.resolve("c.properties"), "bootstrap.servers=h:1\nretries=3\nweir.produce=client\n");
        assertThat(ProducerSettings.builder().bootstrapServers("h:1").build().produce())
                .isEqualTo(ProducePath.CLIENT);
        ProducerSettings<byte[], byte[]> settings =
                ProducerSettings.builder().from(file).build();
        assertThat(settings.produce()).isEqualTo(ProducePath.CLIENT);
        assertThat(settings.toBuilder().build()).isEqualTo(settings);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings.toBuilder().produce(ProducePath.LEAN).build())
                .withMessageContaining("retries=3");
    }
}
