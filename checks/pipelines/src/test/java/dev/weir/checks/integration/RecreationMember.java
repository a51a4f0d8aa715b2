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
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A process with several readers. Tests freeze the process. Each reader is alone in its group, and writes each record
 * to a file with the reader's name, as {@code topic partition offset value}. SIGTERM drains all runs. A failed run
 * writes its failure to {@code NAME.failed}.
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

    /** Takes the bootstrap servers, the folder, the comma-separated topics, and the names of the readers' cases. */
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
            weir(name, file);
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

    private static void note(BufferedWriter file, ConsumerRecord<byte[], byte[]> record) {
        try {
            file.write(record.topic() + " " + record.partition() + " " + record.offset() + " "
                    + new String(record.value(), StandardCharsets.US_ASCII) + "\n");
            file.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
