package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.ReusableConsumer;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.produce.Message;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests sinks whose own pipeline reads the dead-letter topic. A record that always fails would circulate. */
@Timeout(120)
class DeadLetterLoopTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    @BeforeAll
    static void createTopics() {
        List.of("orders", "dead", "out").forEach(topic -> KAFKA.cluster().createTopic(topic, 1));
    }

    private static ConsumerSettings<byte[], byte[]> consumer() {
        return ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId("group")
                .build();
    }

    private static ProducerSettings<byte[], byte[]> producer() {
        return consumer().producerSettings();
    }

    private static DeadLetterTopic deadLetters() {
        return DeadLetterTopic.of("dead", producer());
    }

    private static KafkaSink<byte[], byte[]> sink() {
        return KafkaSink.with(producer()).onFailure(WriteFailures.deadLetter(deadLetters()));
    }

    private static Source<ConsumerRecord<byte[], byte[]>> read(Subscription subscription) {
        return KafkaSource.from(consumer(), subscription).atLeastOnce();
    }

    private static Source<ProducerRecord<byte[], byte[]>> records(Subscription subscription) {
        return read(subscription).map(record -> new ProducerRecord<>("out", record.key(), record.value()));
    }

    /** The ways to write dead-letter records without a flow. */
    enum Way {
        SINK {
            @Override
            Pipeline over(Subscription subscription) {
                return records(subscription).to(sink().records());
            }
        },
        TRANSACTIONAL {
            @Override
            Pipeline over(Subscription subscription) {
                return records(subscription).to(sink().transactional("id").records());
            }
        },
        RESULTS {
            @Override
            Pipeline over(Subscription subscription) {
                return records(subscription)
                        .map(record -> Message.single(record, record))
                        .via(sink().<ProducerRecord<byte[], byte[]>>flow())
                        .to(Sink.ignore());
            }
        },
        DIVERT {
            @Override
            Pipeline over(Subscription subscription) {
                return deadLetters()
                        .divert(KafkaSource.from(consumer(), subscription).decoded())
                        .to(Sink.ignore());
            }
        };

        abstract Pipeline over(Subscription subscription);
    }

    private static void assertRefused(Pipeline pipeline) {
        assertThatThrownBy(() -> pipeline.run().close())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("dead-letter topic dead is read by the flow too");
    }

    @ParameterizedTest
    @EnumSource
    void deadLetterTopic_thatThePipelineReads_isRefusedAtTheStart(Way way) {
        assertRefused(way.over(Subscription.topics("orders", "dead")));
        assertRefused(way.over(Subscription.pattern("orders|de.*")));
    }

    @ParameterizedTest
    @EnumSource
    void deadLetterTopic_thatIsReadToItsEnd_isNotRefused(Way way) throws Exception {
        try (RunningPipeline run =
                way.over(Subscription.topics("orders", "dead").untilEnd()).run()) {
            assertThat(run.await().drained()).isTrue();
        }
    }

    @Test
    void deadLetterTopic_ofAShareGroupsPipeline_isRefused() {
        var settings = ShareSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId("shared")
                .startAt(ShareSettings.Start.EARLIEST)
                .build();
        assertRefused(KafkaSource.shared(settings, "orders", "dead")
                .map(record -> new ProducerRecord<>("out", record.key(), record.value()))
                .to(sink().records()));
    }

    @Test
    void deadLetterTopic_ofAPipelineOnAReusableConsumer_isRefused() {
        try (var consumer = ReusableConsumer.start(consumer(), Subscription.topics("orders", "dead"))) {
            assertRefused(consumer.records("dead")
                    .map(record -> new ProducerRecord<>("out", record.key(), record.value()))
                    .to(sink().records()));
        }
    }

    /** The pipeline reads the dead-letter topic of another input, and writes no dead-letter records for it. */
    @Test
    void deadLetterTopic_ofAnotherInput_isNotRefused() throws Exception {
        Source<ConsumerRecord<byte[], byte[]>> orders = deadLetters()
                .divert(KafkaSource.from(consumer(), Subscription.topics("orders"))
                        .decoded());
        try (RunningPipeline run = read(Subscription.topics("dead"))
                .merge(orders)
                .to(Sink.ignore())
                .run()) {
            assertThat(run.drain(Duration.ofSeconds(30)).drained()).isTrue();
        }
    }
}
