package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RebalanceListener;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.RestrictedConsumer;
import dev.weir.kafka.ShareSettings;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests programs that call {@code System.exit} within a pipeline. Regression: the drain waited until its deadline, and
 * then for stages and resources.
 */
class ExitFromWithinTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    /** Longer than the test may take. */
    private static final Duration DRAIN = Duration.ofMinutes(10);

    enum Place {
        HANDLER,
        MAP,
        SINK,
        PARALLEL,
        DESERIALIZER,
        LISTENER,
        VIEW_DECODER,
        WHEN_COMMITTED,
        SHARE_CLIENT,
        SHARE_LEAN
    }

    private static String exitAt(String value) {
        if (value.equals("50")) {
            System.exit(7);
        }
        return value;
    }

    private static final class Exiting implements Deserializer<String> {
        @Override
        public String deserialize(String topic, byte[] data) {
            return exitAt(new StringDeserializer().deserialize(topic, data));
        }
    }

    static final class Subject {

        private static final CountDownLatch COMMITTED = new CountDownLatch(1);

        private Subject() {}

        /** Arguments: brokers, topic, place. */
        public static void main(String[] args) throws Exception {
            String topic = args[1];
            Place place = Place.valueOf(args[2]);
            var builder = ConsumerSettings.builder(
                            new StringDeserializer(),
                            place == Place.DESERIALIZER ? new Exiting() : new StringDeserializer())
                    .bootstrapServers(args[0])
                    .groupId(topic)
                    .commitInterval(Duration.ofSeconds(60));
            Pipeline pipeline = pipeline(place, builder, topic);
            RunningPipeline running = pipeline.run().drainOnShutdown(DRAIN);
            running.onDrained(report -> System.out.println("report " + report.leftUndone()));
            System.out.println("returned " + running.await().drained());
        }

        private static Pipeline shared(Place place, String brokers, String topic) {
            ShareSettings<String, String> settings = ShareSettings.builder(
                            new StringDeserializer(), new StringDeserializer())
                    .bootstrapServers(brokers)
                    .groupId(topic)
                    .startAt(ShareSettings.Start.EARLIEST)
                    .workers(4)
                    .fetch(place == Place.SHARE_LEAN ? FetchPath.LEAN : FetchPath.CLIENT)
                    .build();
            return KafkaFlow.shared(settings, topic)
                    .forEach(4, Ordering.unordered(), record -> exitAt(record.value()))
                    .pipeline();
        }

        private static Pipeline pipeline(Place place, ConsumerSettings.Builder<String, String> builder, String topic) {
            if (place == Place.LISTENER) {
                builder.rebalanceListener(new RebalanceListener() {
                    @Override
                    public void onAssigned(Set<TopicPartition> partitions, RestrictedConsumer consumer) {
                        String ignored = exitAt("50");
                    }
                });
            }
            ConsumerSettings<String, String> settings = builder.build();
            String brokers = String.valueOf(settings.clientConfig().get("bootstrap.servers"));
            Source<ConsumerRecord<String, String>> source =
                    KafkaSource.from(settings, topic).atLeastOnce();
            return switch (place) {
                case HANDLER ->
                    KafkaFlow.from(settings, topic)
                            .forEach(4, RecordOrdering.byKey(), record -> exitAt(record.value()))
                            .pipeline();
                case WHEN_COMMITTED ->
                    KafkaSource.from(settings, topic)
                            .exactlyOnce()
                            .whenCommitted(records -> {
                                // One more record follows, and its transaction is never committed.
                                COMMITTED.countDown();
                                System.exit(7);
                            })
                            .produceTo(
                                    ProducerSettings.builder(new StringSerializer(), new StringSerializer())
                                            .bootstrapServers(brokers)
                                            .build(),
                                    records -> records.map(
                                            record -> new ProducerRecord<>(topic + "-out", record.value())));
                case VIEW_DECODER ->
                    KafkaSource.from(
                                    builder.fetch(FetchPath.LEAN)
                                            .fetchThreads(2)
                                            .build(),
                                    topic)
                            .decodedBy(view -> exitAt(view.value().toUtf8()))
                            .atLeastOnce()
                            .to(Sink.ignore());
                case SHARE_CLIENT, SHARE_LEAN -> shared(place, brokers, topic);
                case PARALLEL ->
                    source.mapParallel(2, record -> exitAt(record.value())).to(Sink.ignore());
                case MAP -> source.map(record -> exitAt(record.value())).to(Sink.ignore());
                case SINK, DESERIALIZER, LISTENER ->
                    source.async()
                            .mapBlocking(2, Ordering.input(), record -> record)
                            .to(Sink.forEach(record -> exitAt(place == Place.SINK ? record.value() : "")));
            };
        }
    }

    @SuppressWarnings("unchecked") // an array of a generic type
    private static PipeProcess start(Place place, String topic) {
        KafkaCluster cluster = KAFKA.cluster();
        cluster.createTopic(topic, 1);
        cluster.createTopic(topic + "-out", 1);
        FailureTopics.produce(
                cluster,
                IntStream.rangeClosed(1, 100)
                        .mapToObj(i -> FailureTopics.record(topic, "key", Integer.toString(i)))
                        .toArray(ProducerRecord[]::new));
        return PipeProcess.startMain(Subject.class.getName(), 64, KAFKA.bootstrapServers(), topic, place.name());
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"MAP", "SINK", "DESERIALIZER", "SHARE_CLIENT"})
    @Timeout(120)
    void exit_inOtherCodeThatAPipelineRuns_endsTheJvmWithoutWaitingForThatThread(Place place) {
        exit_inCodeThatAPipelineRuns_endsTheJvmWithoutWaitingForThatThread(place);
    }

    @ParameterizedTest
    @EnumSource(names = {"HANDLER", "PARALLEL", "LISTENER", "VIEW_DECODER", "WHEN_COMMITTED", "SHARE_LEAN"})
    @Timeout(120)
    void exit_inCodeThatAPipelineRuns_endsTheJvmWithoutWaitingForThatThread(Place place) {
        String topic = "exit-" + place.name().toLowerCase(Locale.ROOT);
        try (PipeProcess subject = start(place, topic)) {
            assertThat(subject.exitCode(Duration.ofSeconds(25)))
                    .as(subject.err())
                    .isEqualTo(7);
            assertThat(subject.out()).contains("report [");
        }
        if (place == Place.HANDLER) {
            // Records finished before the exit are committed.
            assertThat(KAFKA.cluster().committedOffsets(topic).values()).containsExactly(49L);
        }
    }
}
