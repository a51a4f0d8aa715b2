package dev.weir.checks.integration;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The only member of a group, in a process of its own, to be halted: it notes each record that it reads in a file, as {@code
 * millis topic partition offset value}. Drains by SIGTERM; a run that fails says why on standard error and ends with 1.
 */
final class RecreationMember {

    private RecreationMember() {}

    /** Arguments: bootstrap servers, group, topics with commas, file, then {@code weir} with a case, or {@code plain} with a protocol. */
    public static void main(String[] args) throws Exception {
        List<String> topics = List.of(args[2].split(",", -1));
        try (BufferedWriter file =
                Files.newBufferedWriter(Path.of(args[3]), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            if (args[4].equals("plain")) {
                plain(args[0], args[1], args[5], topics, file);
            } else {
                weir(LostLogCase.of(args[5]).settings(args[0], args[1]), topics, file);
            }
        } catch (RuntimeException failure) {
            System.err.println(failure);
            System.exit(1);
        }
    }

    private static void weir(ConsumerSettings<byte[], byte[]> settings, List<String> topics, BufferedWriter file)
            throws InterruptedException {
        try (RunningPipeline running = KafkaSource.committable(settings, topics.toArray(String[]::new))
                .to(Sink.forEach(record -> note(file, record)))
                .run()
                .drainOnShutdown()) {
            var unused = running.await();
        }
    }

    /** What a careful user of the official client writes; it never ends by itself. */
    private static void plain(
            String bootstrapServers, String group, String protocol, List<String> topics, BufferedWriter file) {
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "group.id",
                group,
                "group.protocol",
                protocol,
                "auto.offset.reset",
                "earliest",
                "allow.auto.create.topics",
                false,
                "auto.commit.interval.ms",
                200);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(topics);
            while (true) {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> note(file, record));
            }
        }
    }

    private static void note(BufferedWriter file, ConsumerRecord<byte[], byte[]> record) {
        try {
            file.write(System.currentTimeMillis() + " " + record.topic() + " " + record.partition() + " "
                    + record.offset() + " " + new String(record.value(), StandardCharsets.US_ASCII) + "\n");
            file.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
