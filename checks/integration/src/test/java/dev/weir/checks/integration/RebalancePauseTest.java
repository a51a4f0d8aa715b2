package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.RecordOrdering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a member that joins under a steady load. Nothing may be lost or repeated. A file in {@code target} has the
 * longest pauses. They depend on the machine, so the test does not check them.
 */
class RebalancePauseTest {

    private static final int PARTITIONS = 8;
    private static final int PER_SECOND = 2_000;

    /** More records than can be sent within the time limit. */
    private static final int MOST_RECORDS = 200_000;

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("group.consumer.min.heartbeat.interval.ms", "300")
            .brokerConfig("group.consumer.heartbeat.interval.ms", "300"));

    private final ConsumerLedger ledger = new ConsumerLedger(MOST_RECORDS);
    private final Gaps gaps = new Gaps();

    /** The longest time between two records of each partition. Thread-safe enough for a measurement. */
    private static final class Gaps {
        private final AtomicLongArray last = new AtomicLongArray(PARTITIONS);
        private final AtomicLongArray longest = new AtomicLongArray(PARTITIONS);
        private volatile boolean open;

        void start() {
            for (int i = 0; i < PARTITIONS; i++) {
                last.set(i, System.nanoTime());
                longest.set(i, 0);
            }
            open = true;
        }

        void record(int partition) {
            long now = System.nanoTime();
            long gap = now - last.getAndSet(partition, now);
            if (open) {
                longest.accumulateAndGet(partition, gap, Math::max);
            }
        }

        long longestMillis(int partition) {
            return TimeUnit.NANOSECONDS.toMillis(longest.get(partition));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "consumer")
    void memberJoins_underLoad_losesAndRepeatsNothing(String protocol) throws Exception {
        String topic = "pause-" + protocol;
        KAFKA.cluster().createTopic(topic, PARTITIONS);
        var settings = ConsumerLedger.settings(KAFKA.cluster(), topic);
        settings = protocol.equals("consumer")
                ? settings.property("group.protocol", "consumer")
                : settings.property("heartbeat.interval.ms", "300");
        AtomicBoolean enough = new AtomicBoolean();
        CompletableFuture<Integer> load = CompletableFuture.supplyAsync(() -> produce(topic, enough));
        AtomicInteger[] bySecond = new AtomicInteger[PARTITIONS];
        for (int i = 0; i < PARTITIONS; i++) {
            bySecond[i] = new AtomicInteger();
        }
        try (RunningPipeline first = member(settings.build(), topic, gaps::record)) {
            ledger.awaitSeen(PER_SECOND, PATIENCE);
            gaps.start();
            ledger.awaitSeen(2 * PER_SECOND, PATIENCE);
            long before = 0;
            for (int i = 0; i < PARTITIONS; i++) {
                before = Math.max(before, gaps.longestMillis(i));
            }
            gaps.start();
            try (RunningPipeline second =
                    member(settings.build(), topic, partition -> bySecond[partition].incrementAndGet())) {
                // The load continues, so that a late member still gets records.
                ConsumerLedger.await("half of them moved", PATIENCE, () -> stayed(bySecond) <= PARTITIONS / 2);
                gaps.open = false;
                long meanwhile = 0;
                for (int i = 0; i < PARTITIONS; i++) {
                    if (bySecond[i].get() == 0) {
                        meanwhile = Math.max(meanwhile, gaps.longestMillis(i));
                    }
                }
                Files.writeString(
                        Path.of("target", "rebalance-pause-" + protocol + ".txt"),
                        "longest time without a finished record, of " + stayed(bySecond) + " partitions that stay: "
                                + meanwhile + " ms, of all before: " + before + " ms\n");
                enough.set(true);
                ledger.awaitSeen(load.get(), PATIENCE);
                assertThat(stayed(bySecond)).isEqualTo(PARTITIONS / 2);
                assertThat(second.completion()).isNotDone();
            }
            assertThat(first.completion()).isNotDone();
        }
        assertThat(ledger.duplicates()).isZero();
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = "classic")
    void memberJoins_onTheClassicProtocol_losesAndRepeatsNothing(String protocol) throws Exception {
        memberJoins_underLoad_losesAndRepeatsNothing(protocol);
    }

    private static int stayed(AtomicInteger[] bySecond) {
        int stayed = 0;
        for (AtomicInteger records : bySecond) {
            stayed += records.get() == 0 ? 1 : 0;
        }
        return stayed;
    }

    private RunningPipeline member(ConsumerSettings<byte[], byte[]> settings, String topic, IntConsumer finished) {
        return KafkaSource.from(settings, topic)
                .atLeastOnce()
                .mapBlocking(64, RecordOrdering.byKey(), record -> {
                    ConsumerLedger.work(
                            Duration.ofMillis(ThreadLocalRandom.current().nextInt(1, 21)));
                    ledger.handled(record);
                    finished.accept(record.partition());
                    return record;
                })
                .to(Sink.ignore())
                .run();
    }

    /** Writes numbered records until {@code enough} is set, and returns their number. */
    private static int produce(String topic, AtomicBoolean enough) {
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", KAFKA.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            long start = System.nanoTime();
            int i = 0;
            for (; i < MOST_RECORDS && !enough.get(); i++) {
                long ahead = start + TimeUnit.SECONDS.toNanos(1) * i / PER_SECOND - System.nanoTime();
                if (ahead > 0) {
                    ConsumerLedger.work(Duration.ofNanos(ahead));
                }
                byte[] number = Integer.toString(i).getBytes(StandardCharsets.US_ASCII);
                var sent = producer.send(new ProducerRecord<>(topic, i % PARTITIONS, number, number));
                if (i < PARTITIONS) {
                    // A broker may refuse the first batch for a new partition and accept the second.
                    sent.get();
                }
            }
            return i;
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
