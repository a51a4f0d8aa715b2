package dev.weir.checks.jmh;

import dev.weir.checks.jmh.PairedRounds.Arm;
import dev.weir.checks.jmh.PairedRounds.Cost;
import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanProducer;
import dev.weir.lean.LeanRecord;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.SendException;
import dev.weir.lean.SendListener;
import dev.weir.lean.StartAt;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Compares a hand-written copy on the lean path with a loop over the official client and with both variants of
 * {@link BareCopy}, in N {@link PairedRounds} (default: 16). As in the client's manual, the loop polls and sends, and
 * it flushes and commits every second. The lean copy sends each record directly from the receive buffer, and commits
 * the acknowledged offsets every second. The bare copies do not commit. Each record is copied to the output partition
 * with the same number as its input partition. Each pass has its own output topic and group; {@link AckedSpan} defines
 * the part of a pass that is timed.
 *
 * <pre>
 *   java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.LeanFill HOST:PORT TOPIC PARTITIONS RECORDS BYTES
 *   java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.LeanCopyRounds HOST:PORT TOPIC PARTITIONS RECORDS [N]
 * </pre>
 */
public final class LeanCopyRounds {
    private static final long COMMIT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Duration WAIT = Duration.ofMillis(100);

    private final String bootstrap;
    private final String input;
    private final int partitions;
    private final long records;

    private LeanCopyRounds(Arguments given) {
        bootstrap = given.bootstrap;
        input = given.topic;
        partitions = given.partitions;
        records = given.records;
    }

    /** Runs the benchmark. The topic must contain RECORDS records, the same number in each partition. */
    public static void main(String[] args) throws Exception {
        Arguments given = Arguments.ofReader(args, 16);
        if (given.records % given.partitions != 0) {
            throw new IllegalArgumentException("RECORDS must be a multiple of PARTITIONS: " + given.records);
        }
        LeanCopyRounds passes = new LeanCopyRounds(given);
        given.compare(
                AckedSpan.counted(given.records),
                new Arm("plain", passes::plain),
                new Arm("bare", output -> passes.bare(output, false)),
                new Arm("touched", output -> passes.bare(output, true)),
                new Arm("lean", passes::lean));
    }

    /** Returns a consumer with the settings in {@code workloads/copy.yaml}. */
    private KafkaConsumer<byte[], byte[]> consumer(String group) {
        Map<String, Object> config = new HashMap<>(fetching());
        config.putAll(Map.of(
                "group.id",
                group,
                "enable.auto.commit",
                "false",
                "auto.offset.reset",
                "earliest",
                "max.poll.records",
                "5000"));
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private Map<String, String> fetching() {
        return Map.of(
                "bootstrap.servers",
                bootstrap,
                "max.partition.fetch.bytes",
                "8388608",
                "fetch.max.bytes",
                "8388608",
                "receive.buffer.bytes",
                "1048576");
    }

    private List<TopicPartition> inputs() {
        return IntStream.range(0, partitions)
                .mapToObj(number -> new TopicPartition(input, number))
                .toList();
    }

    private Cost plain(String output) throws InterruptedException {
        AckedSpan span = new AckedSpan(records);
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(output);
                KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                        LeanProduceRounds.client(bootstrap), new ByteArraySerializer(), new ByteArraySerializer())) {
            consumer.assign(inputs());
            consumer.seekToBeginning(inputs());
            long dueNanos = System.nanoTime() + COMMIT_NANOS;
            long left = records;
            while (left > 0) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(WAIT)) {
                    left--;
                    var unused = producer.send(
                            new ProducerRecord<>(output, record.partition(), record.key(), record.value()), span::told);
                }
                if (System.nanoTime() - dueNanos >= 0) {
                    producer.flush();
                    consumer.commitSync();
                    dueNanos = System.nanoTime() + COMMIT_NANOS;
                }
            }
            producer.flush();
            return span.cost();
        }
    }

    private Cost bare(String output, boolean touched) throws IOException, InterruptedException {
        AckedSpan span = new AckedSpan(records);
        Map<TopicPartition, Long> ends =
                new TreeMap<>((one, other) -> Integer.compare(one.partition(), other.partition()));
        inputs().forEach(each -> ends.put(each, records / partitions));
        try (BareProduce to =
                new BareProduce(bootstrap, output, partitions, LeanProduceRounds.BATCH_BYTES, span::acknowledged)) {
            BareCopy.run(bootstrap, ends, to, touched);
            return span.cost();
        }
    }

    private Cost lean(String output) throws InterruptedException {
        Acked acked = new Acked();
        LeanSettings.Builder from = LeanSettings.builder();
        fetching().forEach(from::property);
        try (KafkaConsumer<byte[], byte[]> offsets = consumer(output);
                LeanProducer producer = LeanProducer.open(LeanProduceRounds.leanClient(bootstrap), acked);
                LeanConsumer consumer = LeanConsumer.open(from.build())) {
            offsets.assign(inputs());
            inputs().forEach(each -> consumer.assign(each.topic(), each.partition(), StartAt.beginning()));
            LeanRecord copy = new LeanRecord(output);
            RecordHandler send = record -> {
                try {
                    producer.send(
                            copy.partition(record.partition()).key(record.key()).value(record.value()),
                            record.offset());
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("interrupted", e);
                }
            };
            long dueNanos = System.nanoTime() + COMMIT_NANOS;
            while (!acked.span.isDone()) {
                if (consumer.poll(send) == 0) {
                    consumer.await(WAIT);
                }
                if (System.nanoTime() - dueNanos >= 0) {
                    acked.commit(offsets);
                    dueNanos = System.nanoTime() + COMMIT_NANOS;
                }
            }
            return acked.span.cost();
        }
    }

    /** Counts acknowledgements, and tracks the offset to commit for each partition. */
    private final class Acked implements SendListener {
        private final AckedSpan span = new AckedSpan(records);
        private final AtomicLongArray next = new AtomicLongArray(partitions);

        @Override
        public void acknowledged(long token, String topic, int partition, long offset) {
            next.setRelease(partition, token + 1);
            span.acknowledged();
        }

        @Override
        public void failed(long token, SendException why) {
            span.failed(why);
        }

        private void commit(KafkaConsumer<?, ?> consumer) {
            Map<TopicPartition, OffsetAndMetadata> copied = new HashMap<>();
            inputs().forEach(each -> copied.put(each, new OffsetAndMetadata(next.getAcquire(each.partition()))));
            consumer.commitSync(copied);
        }
    }
}
