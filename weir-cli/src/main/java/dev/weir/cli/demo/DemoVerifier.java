package dev.weir.cli.demo;

import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.Progress;
import dev.weir.examples.asimov.AsimovPipeline;
import dev.weir.examples.asimov.EventGenerator;
import dev.weir.examples.asimov.OutputLedger;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads a demo's output and dead-letter topics with a plain consumer, and checks that every event is there. Confined to
 * one thread.
 */
final class DemoVerifier {

    private static final Duration POLL = Duration.ofMillis(100);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Precision of the latency histogram: milliseconds up to 20 s. */
    private static final int SIGNIFICANT_DIGITS = 4;

    private final OutputLedger ledger;
    private final Histogram latencyMillis = new Histogram(SIGNIFICANT_DIGITS);

    private long recordsRead;
    private long firstCreatedMillis = Long.MAX_VALUE;
    private long lastWrittenMillis = Long.MIN_VALUE;

    DemoVerifier(EventGenerator generator, int eventsIn) {
        this.ledger = new OutputLedger(generator, eventsIn);
    }

    /** Reads both topics to their current ends. */
    void readBack(String bootstrapServers, Progress progress) {
        Map<String, Object> config = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false,
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                10_000);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = Stream.of(AsimovPipeline.PAGE_VIEWS, AsimovPipeline.DEAD_LETTERS)
                    .flatMap(topic -> consumer.partitionsFor(topic).stream())
                    .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long all = total(ends.values());
            long heardNanos = System.nanoTime();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                if (!records.isEmpty()) {
                    heardNanos = System.nanoTime();
                } else if (System.nanoTime() - heardNanos > PATIENCE_NANOS) {
                    throw CliFailure.work(
                            String.format(
                                    Locale.ROOT, "the broker gave only %,d of %,d records back", recordsRead, all),
                            "Run it again with --log-file FILE and look there.");
                }
                records.forEach(this::book);
                progress.update(
                        () -> String.format(Locale.ROOT, "verifying: %,d of %,d records read back", recordsRead, all));
            }
        }
    }

    private static long total(Collection<Long> offsets) {
        return offsets.stream().mapToLong(Long::longValue).sum();
    }

    /** Adds a record of the output or dead-letter topic. Records of a partition must come in order. */
    void book(ConsumerRecord<byte[], byte[]> record) {
        recordsRead++;
        if (record.topic().equals(AsimovPipeline.DEAD_LETTERS)) {
            ledger.deadLetter(record);
        } else {
            ledger.output(record);
        }
        long created = DemoTraffic.createdMillis(record.headers());
        if (created != DemoTraffic.NO_TIME) {
            // The machine's clock may have been set back in between.
            latencyMillis.recordValue(Math.max(0, record.timestamp() - created));
            firstCreatedMillis = Math.min(firstCreatedMillis, created);
            lastWrittenMillis = Math.max(lastWrittenMillis, record.timestamp());
        }
    }

    OutputLedger.Summary books() {
        return ledger.summary();
    }

    Histogram latencyMillis() {
        return latencyMillis;
    }

    /** Time from the creation of the first event to the last output. */
    long elapsedMillis() {
        return Math.max(0, lastWrittenMillis - Math.min(lastWrittenMillis, firstCreatedMillis));
    }
}
