package dev.weir.checks.integration;

import dev.weir.kafka.KafkaSource;
import dev.weir.stream.Sink;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A process with several readers, which tests can freeze. Each reader is the only member of its group, and notes each
 * record in a file with the reader's name, as {@code millis topic partition offset value}. SIGTERM drains all runs. A
 * run that fails writes its failure to {@code NAME.failed}, and the others continue.
 */
final class RecreationMember {

    private final String bootstrapServers;
    private final Path folder;
    private final List<String> topics;

    private RecreationMember(String bootstrapServers, Path folder, List<String> topics) {
        this.bootstrapServers = bootstrapServers;
        this.folder = folder;
        this.topics = topics;
    }

    /**
     * Takes the bootstrap servers, the folder, the comma-separated topics, and the names of readers:
     * {@code plain-PROTOCOL} or the name of a case.
     */
    public static void main(String[] args) throws InterruptedException {
        var member = new RecreationMember(args[0], Path.of(args[1]), List.of(args[2].split(",", -1)));
        for (String name : Arrays.asList(args).subList(3, args.length)) {
            Thread.ofPlatform().name(name).start(() -> member.read(name));
        }
        new CountDownLatch(1).await();
    }

    private void read(String name) {
        try (BufferedWriter file =
                Files.newBufferedWriter(folder.resolve(name), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            if (name.startsWith("plain-")) {
                plain(name, file);
            } else {
                weir(name, file);
            }
        } catch (IOException | InterruptedException | RuntimeException failure) {
            note(name, failure);
        }
    }

    private void note(String name, Exception failure) {
        try {
            Files.writeString(folder.resolve(name + ".failed"), failure.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String group(String name) {
        return topics.get(0) + "-" + name;
    }

    private void weir(String name, BufferedWriter file) throws InterruptedException {
        var settings = LostLogCase.of(name.replace('-', ' ')).settings(bootstrapServers, group(name));
        var unused = KafkaSource.from(settings, topics.toArray(String[]::new))
                .atLeastOnce()
                .to(Sink.forEach(record -> note(file, record)))
                .run()
                .drainOnShutdown()
                .await();
    }

    /** Consumes as a careful user of the official client would; it never ends by itself. */
    private void plain(String name, BufferedWriter file) {
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "group.id",
                group(name),
                "group.protocol",
                name.substring("plain-".length()),
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
