package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.OnClose;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests the settings of Weir's clients that follow from properties. Nothing connects to a broker. */
class WeirSettingsTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class, WeirAutoConfiguration.class))
            .withUserConfiguration(Clients.class)
            .withPropertyValues("spring.kafka.bootstrap-servers=one:1,two:2");

    /** The clients of an application. */
    record Both(ConsumerSettings<byte[], byte[]> consumer, ProducerSettings<byte[], byte[]> producer) {}

    @Configuration(proxyBeanMethods = false)
    static class Clients {
        @Bean
        Both both(
                ConsumerSettings.Builder<byte[], byte[]> consumer, ProducerSettings.Builder<byte[], byte[]> producer) {
            return new Both(consumer.build(), producer.build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Elsewhere {
        @Bean
        KafkaConnectionDetails elsewhere() {
            return () -> List.of("elsewhere:9");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Bundled {
        @Bean
        KafkaConnectionDetails bundled() {
            return new KafkaConnectionDetails() {
                @Override
                public List<String> getBootstrapServers() {
                    return List.of("elsewhere:9");
                }

                @Override
                public SslBundle getSslBundle() {
                    return SslBundle.of(SslStoreBundle.NONE);
                }
            };
        }
    }

    @Test
    void propertiesOfSpring_reachBothClients() {
        runner.withPropertyValues(
                        "spring.kafka.properties.request.timeout.ms=7000",
                        "spring.kafka.security.protocol=SASL_PLAINTEXT",
                        "spring.kafka.consumer.group-id=g",
                        "spring.kafka.consumer.isolation-level=read-committed",
                        "spring.kafka.consumer.key-deserializer=" + StringDeserializer.class.getName(),
                        "spring.kafka.consumer.fetch-min-size=1KB",
                        "spring.kafka.producer.compression-type=lz4",
                        "spring.kafka.producer.properties.linger.ms=9")
                .run(context -> {
                    Both both = context.getBean(Both.class);
                    assertThat(both.consumer().properties())
                            .containsEntry("bootstrap.servers", "one:1,two:2")
                            .containsEntry("request.timeout.ms", "7000")
                            .containsEntry("security.protocol", "SASL_PLAINTEXT")
                            .containsEntry("group.id", "g")
                            .containsEntry("isolation.level", "read_committed")
                            .containsEntry("fetch.min.bytes", "1024")
                            .doesNotContainKeys("key.deserializer", "value.deserializer");
                    assertThat(both.producer().properties())
                            .containsEntry("bootstrap.servers", "one:1,two:2")
                            .containsEntry("request.timeout.ms", "7000")
                            .containsEntry("security.protocol", "SASL_PLAINTEXT")
                            .containsEntry("compression.type", "lz4")
                            .containsEntry("linger.ms", "9")
                            .doesNotContainKeys("key.serializer", "value.serializer", "group.id");
                });
    }

    /** An exactly-once flow reads committed records unless the user configures something else. */
    @Test
    void isolation_thatNobodySet_isLeftToWeir() {
        runner.run(context -> assertThat(consumer(context)).doesNotContainKey("isolation.level"));
        for (String property :
                List.of("spring.kafka.consumer.isolation-level", "spring.kafka.properties.isolation.level")) {
            runner.withPropertyValues(property + "=read_uncommitted")
                    .run(context -> assertThat(consumer(context)).containsEntry("isolation.level", "read_uncommitted"));
        }
    }

    private static Map<String, String> consumer(ApplicationContext context) {
        return context.getBean(Both.class).consumer().properties();
    }

    /**
     * Weir knows the properties that Spring always writes: it takes the addresses from the connection and leaves out
     * the rest.
     */
    @Test
    void whatSpringAlwaysWrites_isKnown() {
        KafkaProperties spring = new KafkaProperties();
        assertThat(spring.buildConsumerProperties())
                .containsOnlyKeys("bootstrap.servers", "isolation.level", "key.deserializer", "value.deserializer");
        assertThat(spring.buildProducerProperties())
                .containsOnlyKeys("bootstrap.servers", "key.serializer", "value.serializer");
    }

    @Test
    void propertiesOfWeir_winOverThoseOfSpring() {
        runner.withPropertyValues(
                        "spring.kafka.consumer.group-id=g",
                        "spring.kafka.consumer.max-poll-records=11",
                        "spring.kafka.producer.acks=1",
                        "weir.consumer.group-id=h",
                        "weir.consumer.properties.max.poll.records=12",
                        "weir.consumer.preset=low-memory",
                        "weir.consumer.commit-interval=500ms",
                        "weir.consumer.commit-records=7",
                        "weir.consumer.max-outstanding-records=8000",
                        "weir.consumer.buffer-bytes=16MB",
                        "weir.consumer.revoke-deadline=3s",
                        "weir.consumer.out-of-range=nearest",
                        "weir.consumer.connect-timeout=1m",
                        "weir.consumer.commit-metadata-chars=0",
                        "weir.consumer.fetch=lean",
                        "weir.consumer.fetch-threads=2",
                        "weir.consumer.fetch-cpus[0]=0",
                        "weir.consumer.fetch-cpus[1]=1",
                        "weir.consumer.on-close=remain",
                        "weir.consumer.max-batch-bytes=2MB",
                        "weir.consumer.unreadable-batches=skip",
                        "weir.producer.produce=lean",
                        "weir.producer.properties.acks=all")
                .run(context -> {
                    Both both = context.getBean(Both.class);
                    ConsumerSettings<byte[], byte[]> consumer = both.consumer();
                    assertThat(consumer.properties())
                            .containsEntry("group.id", "h")
                            .containsEntry("max.poll.records", "12")
                            .containsEntry("receive.buffer.bytes", "65536");
                    assertThat(consumer.commitInterval()).isEqualTo(Duration.ofMillis(500));
                    assertThat(consumer.commitRecords()).isEqualTo(7);
                    assertThat(consumer.maxOutstandingRecords()).isEqualTo(8_000);
                    assertThat(consumer.bufferBytes()).isEqualTo(16L << 20);
                    assertThat(consumer.revokeDeadline()).isEqualTo(Duration.ofSeconds(3));
                    assertThat(consumer.outOfRange()).isEqualTo(OutOfRangePolicy.NEAREST);
                    assertThat(consumer.connectTimeout()).isEqualTo(Duration.ofMinutes(1));
                    assertThat(consumer.commitMetadataChars()).isZero();
                    assertThat(consumer.fetch()).isEqualTo(FetchPath.LEAN);
                    assertThat(consumer.fetchThreads()).isEqualTo(2);
                    assertThat(consumer.fetchCpus()).containsExactly(0, 1);
                    assertThat(consumer.onClose()).isEqualTo(OnClose.REMAIN);
                    assertThat(consumer.maxBatchBytes()).isEqualTo(2L << 20);
                    assertThat(consumer.unreadableBatches()).isEqualTo(ConsumerSettings.UnreadableBatches.SKIP);
                    assertThat(both.producer().produce()).isEqualTo(ProducePath.LEAN);
                    assertThat(both.producer().properties()).containsEntry("acks", "all");
                });
    }

    @Test
    void connectionDetails_sayWhereTheBrokersAre() {
        runner.withUserConfiguration(Elsewhere.class).run(context -> {
            Both both = context.getBean(Both.class);
            assertThat(both.consumer().properties()).containsEntry("bootstrap.servers", "elsewhere:9");
            assertThat(both.producer().properties()).containsEntry("bootstrap.servers", "elsewhere:9");
        });
    }

    @Test
    void sslBundle_isRefusedWithTheWayOut() {
        runner.withUserConfiguration(Bundled.class)
                .run(context -> assertThat(Refusals.paragraph(context))
                        .contains(
                                "spring.kafka.ssl.bundle: Weir's clients read no SSL bundles", "trust-store-location"));
    }

    /** Regression: the message named a property that the application did not have. */
    @Test
    void sslBundle_ofOneClient_isRefusedByItsName() {
        runner.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
                .withPropertyValues(
                        "spring.ssl.bundle.jks.brokers.truststore.location=file:/no/such.jks",
                        "spring.kafka.producer.ssl.bundle=brokers")
                .run(context -> assertThat(Refusals.paragraph(context))
                        .contains(
                                "spring.kafka.producer.ssl.bundle: Weir's clients read no SSL bundles",
                                "spring.kafka.producer.ssl.trust-store-location"));
    }

    @Test
    void builders_areNewForEachUse() {
        runner.run(context -> assertThat(context.getBean(ConsumerSettings.Builder.class))
                .isNotSameAs(context.getBean(ConsumerSettings.Builder.class)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            weir.consumer.commit-interval=0s | weir.consumer.commit-interval: commitInterval must be PT0.001S to PT10M
            weir.consumer.buffer-bytes=1KB | weir.consumer.buffer-bytes: bufferBytes must be 1048576 to
            weir.consumer.preset=fast | weir.consumer.preset: weir.preset must be throughput, latency, low-memory
            weir.consumer.properties.max.poll.recrods=5 | weir.consumer.properties.max.poll.recrods: no Kafka client has
            weir.consumer.properties.max.poll.records=few | weir.consumer.properties.max.poll.records: Invalid value few
            spring.kafka.properties.request.timeout.ms=soon | spring.kafka.properties.request.timeout.ms: Invalid value soon
            spring.kafka.consumer.max-poll-records=-3 | spring.kafka.consumer.max-poll-records: Invalid value -3
            spring.kafka.consumer.enable-auto-commit=true | spring.kafka.consumer.enable-auto-commit: enable.auto.commit=true
            spring.kafka.producer.acks=1 | spring.kafka.producer.acks: acks=1 would acknowledge records
            weir.producer.properties.linger.ms=x | weir.producer.properties.linger.ms: Invalid value x
            """)
    void wrongValue_isRefusedAtTheStart_andNamesItsProperty(String property, String message) {
        runner.withPropertyValues(property)
                .run(context -> assertThat(Refusals.paragraph(context)).contains(message));
    }

    /** Spring's own analysis of these exceptions names the property and its origin. */
    @ParameterizedTest
    @CsvSource({"weir.consumer.comit-interval=1s, weir.consumer.comit-interval", "weir.on-failur=keep, weir.on-failur"})
    void unknownProperty_isRefused(String property, String name) {
        runner.withPropertyValues(property)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasRootCauseInstanceOf(UnboundConfigurationPropertiesException.class)
                        .rootCause()
                        .hasMessageContaining(name));
    }

    @Test
    void settings_thatFilesMayHold_areAllProperties() throws IOException {
        String page =
                Files.readString(Path.of(System.getProperty("weir.root")).resolve("docs/reference/configuration.md"));
        String consumer = page.substring(page.indexOf("(`ConsumerSettings`)\n"), page.indexOf("\n### From files"));
        String producer = page.substring(page.indexOf("(`ProducerSettings`)\n"), page.indexOf("(`KafkaSink`)\n"));
        List<String> keys = Pattern.compile("\\| `weir\\.([a-z.]+)` \\|")
                .matcher(consumer + producer)
                .results()
                .map(match -> match.group(1).replace(".", ""))
                .toList();
        List<String> components = Stream.of(WeirProperties.Consumer.class, WeirProperties.Producer.class)
                .flatMap(side -> Arrays.stream(side.getRecordComponents()))
                .map(component -> component.getName().toLowerCase(Locale.ROOT))
                .toList();
        assertThat(keys).hasSizeGreaterThan(9);
        assertThat(components).containsAll(keys);
    }
}
