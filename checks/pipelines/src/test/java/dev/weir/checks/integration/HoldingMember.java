package dev.weir.checks.integration;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.stream.Ordering;
import dev.weir.stream.Sink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A group member in a process that tests kill. It writes the numbers of handled records to a file, and never finishes
 * some records.
 */
final class HoldingMember {

    private HoldingMember() {}

    /**
     * Takes the bootstrap servers, the topic (also the group's name), the file, and the comma-separated numbers of
     * records that are never finished.
     */
    public static void main(String[] args) throws InterruptedException {
        Path file = Path.of(args[2]);
        Set<String> held = Stream.of(args[3].split(",")).collect(Collectors.toSet());
        var settings = ConsumerSettings.builder()
                .bootstrapServers(args[0])
                .groupId(args[1])
                // The successor of a static member takes over immediately.
                .property("group.instance.id", "holding")
                .commitInterval(Duration.ofMillis(50))
                .build();
        KafkaSource.from(settings, args[1])
                .atLeastOnce()
                .mapBlocking(16, Ordering.unordered(), record -> {
                    String number = new String(record.value(), StandardCharsets.US_ASCII);
                    if (held.contains(number)) {
                        new CountDownLatch(1).await();
                    }
                    note(file, number);
                    return record;
                })
                .to(Sink.ignore())
                .run();
        new CountDownLatch(1).await();
    }

    /** Writes a line in a single call, which a kill cannot split. */
    private static void note(Path file, String number) throws IOException {
        Files.writeString(file, number + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
