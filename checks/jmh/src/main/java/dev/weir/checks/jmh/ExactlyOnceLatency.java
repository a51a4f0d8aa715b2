package dev.weir.checks.jmh;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.RunningPipeline;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Measures the latency of an exactly-once copy that commits every 100 ms. The latency of a record is the time between
 * its planned send time and the time when a {@code read_committed} consumer receives its copy. Records have 100 bytes
 * and are sent at a planned rate to six partitions. Everything except the broker runs in this process, so all times
 * come from one clock. The first part of the run is not counted.
 *
 * <pre>
 *   java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.ExactlyOnceLatency localhost:9092 RATE SECONDS
 * </pre>
 */
public final class ExactlyOnceLatency {

    private static final int PARTITIONS = 6;
    private static final int VALUE_BYTES = 100;
    private static final int WARM_SECONDS = 20;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private ExactlyOnceLatency() {}

    /** Takes the broker's address, the records per second, and the number of seconds to measure. */
    public static void main(String[] args) throws Exception {
        String address = args[0];
        long rate = Long.parseLong(args[1]);
        long count = rate * (WARM_SECONDS + Long.parseLong(args[2]));
        String name = "latency-" + System.currentTimeMillis();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
            admin.createTopics(List.of(
                            new NewTopic(name + "-in", PARTITIONS, (short) 1),
                            new NewTopic(name + "-out", PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }
        ConsumerSettings<byte[], byte[]> in = ConsumerSettings.builder()
                .property("bootstrap.servers", address)
                .property("group.id", name)
                .property("auto.offset.reset", "earliest")
                .build();
        ProducerSettings<byte[], byte[]> out =
                ProducerSettings.builder().bootstrapServers(address).build();
        try (RunningPipeline run = KafkaSource.from(in, name + "-in")
                .exactlyOnce()
                .commitInterval(Duration.ofMillis(100))
                .produceTo(
                        out,
                        records -> records.map(record ->
                                new ProducerRecord<>(name + "-out", record.partition(), record.key(), record.value())))
                .run()) {
            Thread load = Thread.ofPlatform().start(() -> send(address, name + "-in", rate, count));
            report(read(address, name + "-out", count), rate);
            load.join();
            run.drain(Duration.ofSeconds(20));
        }
    }

    private static void send(String address, String topic, long rate, long count) {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", address, "linger.ms", 5),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            producer.partitionsFor(topic);
            long start = System.nanoTime();
            for (long sent = 0; sent < count; ) {
                long due = Math.min(count, (System.nanoTime() - start) * rate / TimeUnit.SECONDS.toNanos(1));
                for (; sent < due; sent++) {
                    byte[] value = new byte[VALUE_BYTES];
                    ByteBuffer.wrap(value).putLong(start + sent * TimeUnit.SECONDS.toNanos(1) / rate);
                    var unused = producer.send(new ProducerRecord<>(topic, (int) (sent % PARTITIONS), null, value));
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Returns the latency of each record in nanoseconds, in order of arrival. */
    private static long[] read(String address, String topic, long count) {
        long[] nanos = new long[(int) count];
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        address,
                        "isolation.level",
                        "read_committed",
                        "auto.offset.reset",
                        "earliest",
                        "max.poll.records",
                        10_000),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(IntStream.range(0, PARTITIONS)
                    .mapToObj(partition -> new TopicPartition(topic, partition))
                    .toList());
            for (int seen = 0; seen < count; ) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    nanos[seen++] =
                            System.nanoTime() - ByteBuffer.wrap(record.value()).getLong();
                }
            }
        }
        return nanos;
    }

    private static void report(long[] nanos, long rate) {
        long[] counted = Arrays.copyOfRange(nanos, (int) (rate * WARM_SECONDS), nanos.length);
        Arrays.sort(counted);
        System.out.printf(
                "%,d records/s, %,d counted: p50 %.1f ms, p99 %.1f ms, p99.9 %.1f ms, max %.1f ms%n",
                rate, counted.length, at(counted, 0.5), at(counted, 0.99), at(counted, 0.999), at(counted, 1));
    }

    private static double at(long[] sorted, double share) {
        return sorted[(int) Math.ceil(sorted.length * share) - 1] / 1e6;
    }
}
