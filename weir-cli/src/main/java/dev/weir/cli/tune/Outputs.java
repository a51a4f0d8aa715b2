package dev.weir.cli.tune;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.Progress;
import dev.weir.command.terminal.Shutdown;
import dev.weir.examples.asimov.AsimovPipeline;
import dev.weir.examples.asimov.EventGenerator;
import dev.weir.examples.asimov.OutputLedger;
import dev.weir.testkit.KafkaCluster;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * The output of one version: a hash of each event's page view or dead-letter record, and a check that each event has
 * one output, in order. Confined to one thread.
 */
final class Outputs {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final OutputLedger ledger;
    private final long[] hashes;
    private final MessageDigest digest = sha256();

    Outputs(EventGenerator generator, int events) {
        this.ledger = new OutputLedger(generator, events);
        this.hashes = new long[events];
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) { // every Java platform has it
            throw new LinkageError("no SHA-256", e);
        }
    }

    static Map<TopicPartition, Long> ends(KafkaCluster cluster) {
        Map<TopicPartition, Long> ends = new HashMap<>(cluster.endOffsets(AsimovPipeline.PAGE_VIEWS));
        ends.putAll(cluster.endOffsets(AsimovPipeline.DEAD_LETTERS));
        return ends;
    }

    /** Deletes the gigabyte of outputs of a version. It would slow down the next version. */
    static void delete(KafkaCluster cluster) throws InterruptedException {
        try {
            deleteBefore(ends(cluster), cluster).get();
        } catch (ExecutionException e) {
            throw CliFailure.work("the broker did not delete the outputs of the step before: " + e.getCause(), "", e);
        }
    }

    /** Requests deletion of all but the last {@code kept} records of each partition. */
    static void deleteAllBut(long kept, KafkaCluster cluster) {
        Map<TopicPartition, Long> starts = ends(cluster);
        starts.replaceAll((partition, end) -> Math.max(0, end - kept));
        var ignored = deleteBefore(starts, cluster);
    }

    private static KafkaFuture<Void> deleteBefore(Map<TopicPartition, Long> starts, KafkaCluster cluster) {
        Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
        starts.forEach((partition, start) -> all.put(partition, RecordsToDelete.beforeOffset(start)));
        return cluster.admin().deleteRecords(all).all();
    }

    /** Reads the outputs from {@code starts} on; null if the command was stopped. */
    static @Nullable Outputs read(
            KafkaCluster cluster,
            Map<TopicPartition, Long> starts,
            EventGenerator generator,
            int events,
            Progress progress,
            Shutdown shutdown) {
        Outputs outputs = new Outputs(generator, events);
        Map<TopicPartition, Long> ends = ends(cluster);
        Map<String, Object> config = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                cluster.bootstrapServers(),
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                10_000);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.copyOf(ends.keySet()));
            starts.forEach(consumer::seek);
            long heardNanos = System.nanoTime();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                if (shutdown.isRequested()) {
                    return null;
                }
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                if (!records.isEmpty()) {
                    heardNanos = System.nanoTime();
                } else if (System.nanoTime() - heardNanos > PATIENCE_NANOS) {
                    throw CliFailure.work(
                            "the broker did not give all outputs back", "Run it again with --log-file FILE.");
                }
                records.forEach(outputs::add);
                progress.update(() -> "comparing the outputs");
            }
        }
        return outputs;
    }

    /** Adds a record to the output. */
    void add(ConsumerRecord<byte[], byte[]> record) {
        if (record.topic().equals(AsimovPipeline.DEAD_LETTERS)) {
            ledger.deadLetter(record);
        } else {
            ledger.output(record);
        }
        long sequence = EventGenerator.sequence(record.headers());
        if (sequence >= 0 && sequence < hashes.length) {
            hashes[(int) sequence] = hash(record);
        }
    }

    private long hash(ConsumerRecord<byte[], byte[]> record) {
        add(record.topic().getBytes(UTF_8));
        add(record.key());
        add(record.value());
        digest.update(ByteBuffer.allocate(Long.BYTES).putLong(0, record.timestamp()));
        for (Header header : record.headers()) {
            add(header.key().getBytes(UTF_8));
            add(header.value());
        }
        return ByteBuffer.wrap(digest.digest()).getLong();
    }

    /** Hashes the part's length too, because a byte may move from one part to the next. */
    private void add(byte[] part) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, part.length));
        digest.update(part);
    }

    /**
     * Describes the fault in the outputs, without a period at the end.
     *
     * @param first the expected outputs
     * @return null if each event has exactly one output, in order, in the right topic and with the right key, and each
     * output equals the one in {@code first} byte for byte
     */
    @Nullable
    String flaw(Outputs first) {
        OutputLedger.Summary summary = ledger.summary();
        if (!summary.flawless()) {
            return String.format(
                    Locale.ROOT,
                    "of %,d events %,d are lost, %,d duplicated, %,d out of order, %,d misplaced;"
                            + " %,d records are foreign",
                    summary.recordsIn(),
                    summary.lost(),
                    summary.duplicates(),
                    summary.outOfOrder(),
                    summary.misplaced(),
                    summary.foreign());
        }
        long different = IntStream.range(0, hashes.length)
                .filter(event -> hashes[event] != first.hashes[event])
                .count();
        return different == 0
                ? null
                : String.format(
                        Locale.ROOT,
                        "%,d of %,d outputs differ from those of the first draft",
                        different,
                        hashes.length);
    }
}
