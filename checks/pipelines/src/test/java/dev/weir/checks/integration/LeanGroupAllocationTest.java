package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.view.RecordViews;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Checks that a group member on the lean path allocates nothing per record or fetch, and little per second. */
@Timeout(120)
class LeanGroupAllocationTest {

    private static final List<String> MEMBERS = List.of(
            "weir-",
            "kafka-coordinator-heartbeat-thread",
            "consumer_background_thread",
            "kafka-admin-client-thread",
            "ForkJoinPool-");

    private static final int PARTITIONS = 6;
    private static final int ROUNDS = 500;

    /** After this time, a member polls its client only rarely. */
    private static final long SETTLING_NANOS = TimeUnit.SECONDS.toNanos(6);

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** The limit per record. */
    private static final long ALLOWED_BYTES_PER_RECORD = 20;

    /** The limit per second, for heartbeats, commits and polls of the consumer. */
    private static final long ALLOWED_BYTES_PER_SECOND = 20_000;

    /** The limit with the consumer protocol, for which test brokers request ten times as many heartbeats. */
    private static final long ALLOWED_WITH_HEARTBEATS = 60_000;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final AtomicLong records = new AtomicLong();
    private volatile boolean plants;
    private volatile Object planted = "";

    private void count(RecordViews views) {
        try (views) {
            while (views.next()) {
                records.incrementAndGet();
                if (plants) {
                    planted = new byte[64];
                }
            }
        }
    }

    @Test
    void member_ofAGroup_makesNoGarbagePerRecord() {
        measure("classic", ALLOWED_BYTES_PER_SECOND);
    }

    @Test
    @Tag("long")
    void memberByTheNewProtocol_ofAGroup_makesNoGarbagePerRecord() {
        measure("consumer", ALLOWED_WITH_HEARTBEATS);
    }

    private void measure(String protocol, long perSecond) {
        String topic = "group-" + protocol;
        KAFKA.cluster().createTopic(topic, PARTITIONS);
        ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(topic)
                .property("group.protocol", protocol)
                .property("auto.offset.reset", "earliest")
                .fetch(FetchPath.LEAN)
                .build();
        try (RunningPipeline running = KafkaSource.from(settings, topic)
                        .views()
                        .to(Sink.forEach(this::count))
                        .run();
                KafkaProducer<byte[], byte[]> producer = producer()) {
            rounds(producer, topic, 1);
            long settlesNanos = System.nanoTime() + SETTLING_NANOS;
            while (System.nanoTime() - settlesNanos < 0) {
                rounds(producer, topic, 1);
            }
            // Takes the least of several measurements, because a busy machine makes a member allocate more.
            assertThat(leastOf(() -> beyondAllowed(producer, topic, perSecond), 0))
                    .isNegative();
            assertThat(leastOf(this::allocatedWhenIdle, perSecond)).isLessThan(perSecond);
            // Makes the handler allocate, to check that the measurement detects it.
            plants = true;
            assertThat(beyondAllowed(producer, topic, perSecond)).isPositive();
            assertThat(planted).isNotNull();
            assertThat(running.completion()).isNotDone();
        }
    }

    /** Measures up to five times, until the result is within the limit. Returns the smallest result. */
    private static long leastOf(LongSupplier measured, long bound) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5 && least >= bound; i++) {
            least = Math.min(least, measured.getAsLong());
        }
        return least;
    }

    /** Returns the bytes allocated in some rounds, minus the allowed bytes. */
    private long beyondAllowed(KafkaProducer<byte[], byte[]> producer, String topic, long perSecond) {
        long beginNanos = System.nanoTime();
        long before = allocated();
        rounds(producer, topic, ROUNDS);
        long ofTime = (System.nanoTime() - beginNanos) / 1_000 * perSecond / 1_000_000;
        return allocated() - before - ofTime - (long) ROUNDS * PARTITIONS * ALLOWED_BYTES_PER_RECORD;
    }

    private long allocatedWhenIdle() {
        long beginNanos = System.nanoTime();
        long before = allocated();
        ConsumerLedger.await("time passes", LONG, () -> System.nanoTime() - beginNanos > QUIET_NANOS);
        return (allocated() - before) * 1_000_000 / ((System.nanoTime() - beginNanos) / 1_000);
    }

    private static KafkaProducer<byte[], byte[]> producer() {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "linger.ms", 1),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /** Writes one record to each partition in each round. The member gets them in one or several fetches. */
    private void rounds(KafkaProducer<byte[], byte[]> producer, String topic, int rounds) {
        byte[] value = new byte[23];
        for (int round = 0; round < rounds; round++) {
            long goal = records.get() + PARTITIONS;
            for (int partition = 0; partition < PARTITIONS; partition++) {
                var ignored = producer.send(new ProducerRecord<>(topic, partition, null, value));
            }
            while (records.get() < goal) {
                LockSupport.parkNanos(20_000);
            }
        }
    }

    /** Returns the bytes allocated by the threads of the member, its client and the pipeline. */
    private long allocated() {
        long all = 0;
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (MEMBERS.stream().anyMatch(thread.getName()::startsWith)) {
                all += threads.getThreadAllocatedBytes(thread.threadId());
            }
        }
        return all;
    }
}
