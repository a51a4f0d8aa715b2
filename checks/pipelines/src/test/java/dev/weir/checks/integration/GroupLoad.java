package dev.weir.checks.integration;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.RecordOrdering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Starts group members whose handlers take 1 to 20 ms, and a steady load on their topic. Stateless. */
final class GroupLoad {

    /** The ways in which a group moves partitions. */
    enum Protocol {
        EAGER,
        COOPERATIVE,
        CONSUMER
    }

    static final int RECORDS_PER_SECOND = 20_000;

    private static final int BATCH = 200;
    private static final int KEYS = 4_000;

    private GroupLoad() {}

    /** Returns a broker that reports changes to members quickly, with either protocol. */
    static KafkaCluster.Builder quickGroups() {
        return KafkaCluster.builder()
                .brokerConfig("group.consumer.min.heartbeat.interval.ms", "300")
                .brokerConfig("group.consumer.heartbeat.interval.ms", "300");
    }

    static ConsumerSettings<byte[], byte[]> settings(KafkaCluster cluster, Protocol protocol, String group) {
        ConsumerSettings.Builder<byte[], byte[]> settings = ConsumerLedger.settings(cluster, group);
        return switch (protocol) {
            case CONSUMER -> settings.property("group.protocol", "consumer").build();
            case EAGER -> classic(settings, RangeAssignor.class);
            case COOPERATIVE -> classic(settings, CooperativeStickyAssignor.class);
        };
    }

    private static ConsumerSettings<byte[], byte[]> classic(
            ConsumerSettings.Builder<byte[], byte[]> settings, Class<?> assignor) {
        return settings.property("partition.assignment.strategy", assignor.getName())
                .property("heartbeat.interval.ms", "300")
                .property("metadata.max.age.ms", "1000")
                .build();
    }

    /** Starts a member that handles many records at a time, in key order, for 1 to 20 ms each. */
    static RunningPipeline member(ConsumerSettings<byte[], byte[]> settings, String topic, ConsumerLedger ledger) {
        return KafkaSource.from(settings, topic)
                .atLeastOnce()
                .mapBlocking(256, RecordOrdering.byKey(), record -> {
                    ConsumerLedger.work(Duration.ofMillis(1 + record.offset() % 20));
                    ledger.handled(record);
                    return record;
                })
                .to(Sink.ignore())
                .run();
    }

    /**
     * Writes numbered records at {@link #RECORDS_PER_SECOND}. The future completes when the broker has acknowledged all
     * of them.
     */
    static CompletableFuture<Void> produce(String bootstrapServers, String topic, int records) {
        return CompletableFuture.runAsync(() -> {
            Map<String, Object> config = Map.of(
                    ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                    ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1,
                    ProducerConfig.METADATA_MAX_AGE_CONFIG, 1_000);
            try (KafkaProducer<byte[], byte[]> producer =
                    new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
                long start = System.nanoTime();
                for (int n = 0; n < records; n++) {
                    if (n % BATCH == 0) {
                        long due = start + TimeUnit.SECONDS.toNanos(n) / RECORDS_PER_SECOND;
                        LockSupport.parkNanos(due - System.nanoTime());
                    }
                    var unused = producer.send(new ProducerRecord<>(topic, text(n % KEYS), text(n)));
                }
            }
        });
    }

    private static byte[] text(int number) {
        return Integer.toString(number).getBytes(StandardCharsets.US_ASCII);
    }
}
