package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.KafkaSource;
import dev.weir.metrics.PipelineMetrics;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the meters of a consumer that falls behind, pauses, and shares its topic with another consumer. */
@Timeout(120)
class ConsumerMetricsTest {

    private static final Duration SOON = Duration.ofSeconds(40);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Semaphore allowed = new Semaphore(0);

    private RunningPipeline start(String topic) {
        return KafkaSource.from(
                        ConsumerLedger.settings(KAFKA.cluster(), topic)
                                .maxOutstandingRecords(50)
                                .build(),
                        topic)
                .atLeastOnce()
                .mapBlocking(4, Ordering.unordered(), this::handle)
                .named("handle")
                .to(Sink.ignore())
                .named(topic)
                .run();
    }

    private ConsumerRecord<byte[], byte[]> handle(ConsumerRecord<byte[], byte[]> record) throws InterruptedException {
        allowed.acquire();
        return record;
    }

    private double value(String name, String... tags) {
        Gauge gauge = registry.find(name).tags(tags).gauge();
        return gauge == null ? -1 : gauge.value();
    }

    @Test
    void consumer_thatIsBehind_showsLagWindowAndPause() throws Exception {
        KAFKA.cluster().createTopic("behind", 2);
        Records.produce(KAFKA.bootstrapServers(), "behind", 0, 1_000);
        try (RunningPipeline running = start("behind");
                PipelineMetrics metrics = PipelineMetrics.of(running)) {
            metrics.bindTo(registry);
            ConsumerLedger.await("lag", SOON, () -> value("weir.consumer.lag.records") == 1_000);
            // A record is written before it can be the first unfinished one.
            ConsumerLedger.await(
                    "lag time",
                    SOON,
                    () -> value("weir.consumer.lag.seconds") >= value("weir.consumer.oldest.unfinished.seconds"));
            ConsumerLedger.await("window", SOON, () -> value("weir.consumer.paused", "reason", "window") == 2);
            assertThat(value("weir.consumer.partitions", "consumer", "[behind]"))
                    .isEqualTo(2);
            double old = value("weir.consumer.oldest.unfinished.seconds");
            ConsumerLedger.await(
                    "older", SOON, () -> value("weir.consumer.oldest.unfinished.seconds") >= Math.max(old, 0) + 2);
            running.handles(ConsumerHandle.class)
                    .getFirst()
                    .pause()
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS);
            ConsumerLedger.await("pause", SOON, () -> value("weir.consumer.paused", "reason", "user") == 2);
            running.handles(ConsumerHandle.class)
                    .getFirst()
                    .resume()
                    .toCompletableFuture()
                    .get(20, TimeUnit.SECONDS);
            allowed.release(1_000);
            ConsumerLedger.await("caught up", SOON, () -> value("weir.consumer.lag.records") == 0);
            ConsumerLedger.await("no lag time", SOON, () -> value("weir.consumer.lag.seconds") == 0);
            ConsumerLedger.await("none old", SOON, () -> value("weir.consumer.oldest.unfinished.seconds") == 0);
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void partitions_thatGoToAnotherMember_loseTheirMeters() {
        KAFKA.cluster().createTopic("shared", 4);
        allowed.release(1_000_000);
        try (RunningPipeline first = start("shared");
                PipelineMetrics metrics = PipelineMetrics.of(first).withPartitionTags()) {
            metrics.bindTo(registry);
            ConsumerLedger.await("four", SOON, () -> partitionMeters() == 4);
            try (RunningPipeline second = start("shared")) {
                ConsumerLedger.await("two", SOON, () -> partitionMeters() == 2);
                assertThat(second.completion()).isNotDone();
            }
            ConsumerLedger.await("four again", SOON, () -> partitionMeters() == 4);
        }
    }

    private int partitionMeters() {
        return registry.find("weir.partition.lag.records").gauges().size();
    }
}
