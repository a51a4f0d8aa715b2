package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.ProducerSettings;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.LimiterProbe;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what the limiter says about throttled clients and decoders of views. */
@Timeout(120)
class LimiterMeasurementTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int RECORDS = 4_000;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static void limit(String clientId, String quota, double bytesPerSecond)
            throws ExecutionException, InterruptedException {
        ClientQuotaEntity client = new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, clientId));
        KAFKA.cluster()
                .admin()
                .alterClientQuotas(List.of(new ClientQuotaAlteration(
                        client, List.of(new ClientQuotaAlteration.Op(quota, bytesPerSecond)))))
                .all()
                .get();
    }

    private static RunningPipeline writing(ProducePath path, String name) {
        KAFKA.cluster().createTopic(name, 1);
        ProducerSettings<byte[], byte[]> settings = ProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .produce(path)
                .property("client.id", name)
                .property("buffer.memory", "65536")
                .property("max.request.size", "65536")
                .property("batch.size", "16384")
                .build();
        return Source.repeat(new byte[1_000])
                .map(value -> new ProducerRecord<byte[], byte[]>(name, value))
                .to(KafkaSink.with(settings).records())
                .run();
    }

    private static long throttledNanos(RunningPipeline running) {
        return running.handles(ProducerHandle.class).getFirst().snapshot().throttledNanos();
    }

    /** Brokers answer a throttled producer immediately. Its batches wait in the client, so the client looks slow. */
    @ParameterizedTest
    @EnumSource(ProducePath.class)
    void producerOverItsQuota_isOutputBroker_withTheQuotaNamed(ProducePath path) throws Exception {
        String name = "throttled-" + path.name().toLowerCase(Locale.ROOT);
        limit(name, "producer_byte_rate", 100_000);
        try (RunningPipeline running = writing(path, name);
                LimiterProbe probe = LimiterProbe.start(running)) {
            ConsumerLedger.await("the brokers throttle it", LONG, () -> throttledNanos(running) > 0);
            ConsumerLedger.await("the limiter says so", LONG, () -> {
                Limiter limiter = probe.limiter();
                return limiter.kind() == Kind.OUTPUT_BROKER
                        && limiter.sentence().contains("the brokers throttle it")
                        && limiter.advice().contains("quota");
            });
            running.cancel();
        }
    }

    @ParameterizedTest
    @EnumSource(ProducePath.class)
    void producerWithoutAQuota_isNotThrottled(ProducePath path) {
        String name = "free-" + path.name().toLowerCase(Locale.ROOT);
        try (RunningPipeline running = writing(path, name)) {
            ConsumerLedger.await(
                    "it writes", LONG, () -> running.stages().getLast().elementsOut() > RECORDS);
            assertThat(throttledNanos(running)).isZero();
            running.cancel();
        }
    }

    /** The quota allows a burst of ten seconds' worth of records first. */
    @ParameterizedTest
    @EnumSource(FetchPath.class)
    void consumerOverItsQuota_isSourceBroker_withTheQuotaNamed(FetchPath path) throws Exception {
        String name = "reading-" + path.name().toLowerCase(Locale.ROOT);
        KAFKA.cluster().createTopic(name, 1);
        Records.produce(KAFKA.bootstrapServers(), name, 0, 10 * RECORDS);
        limit(name, "consumer_byte_rate", 20_000);
        ConsumerSettings<byte[], byte[]> settings = ConsumerLedger.settings(KAFKA.cluster(), name)
                .fetch(path)
                .property("client.id", name)
                .property("max.partition.fetch.bytes", "20000")
                .build();
        try (RunningPipeline running = KafkaSource.from(settings, name)
                        .atLeastOnce()
                        .to(Sink.ignore())
                        .run();
                LimiterProbe probe = LimiterProbe.start(running)) {
            ConsumerLedger.await("the limiter names the quota", LONG, () -> {
                Limiter limiter = probe.limiter();
                return limiter.kind() == Kind.SOURCE_BROKER && limiter.advice().contains("quota of its client id");
            });
            running.cancel();
        }
    }

    /** Regression: the limiter blamed the fetch for a slow decoder. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void decoderOfViews_isNamed_andItsFirstRecordsComeSoon(int threads) {
        String topic = "views-" + threads;
        KAFKA.cluster().createTopic(topic, threads);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, RECORDS);
        ConsumerSettings<byte[], byte[]> settings = ConsumerLedger.settings(KAFKA.cluster(), topic)
                .fetch(FetchPath.LEAN)
                .fetchThreads(threads)
                .build();
        try (RunningPipeline running = KafkaSource.from(settings, topic)
                        .decodedBy(view -> {
                            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                            return view.offset();
                        })
                        .atLeastOnce()
                        .to(Sink.ignore())
                        .run();
                LimiterProbe probe = LimiterProbe.start(running)) {
            ConsumerLedger.await("the limiter names the decoder", LONG, () -> {
                Limiter limiter = probe.limiter();
                return limiter.kind() == Kind.SOURCE_DECODE && limiter.advice().contains("fetchThreads");
            });
            // The fetch has thousands of records. Decoding them takes many seconds.
            assertThat(running.stages().getLast().elementsOut()).isBetween(1L, RECORDS - 1L);
            running.cancel();
        }
    }
}
