package dev.weir.checks.integration;

import dev.weir.jdbc.JdbcOffsets;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Sink;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.postgresql.ds.PGSimpleDataSource;

/** A group member in its own process that writes to a database. Tests kill or freeze it. */
final class JdbcMember {

    private JdbcMember() {}

    /**
     * Takes the brokers, the topic (also the group's name), the database URL, and {@code run}, or {@code hold} and a
     * file. With {@code hold}, the member waits for the file before it writes its first batches.
     */
    public static void main(String[] args) throws InterruptedException {
        ConsumerSettings.Builder<byte[], byte[]> builder = ConsumerSettings.builder()
                .bootstrapServers(args[0])
                .groupId(args[1])
                .property("session.timeout.ms", "6000");
        PGSimpleDataSource database = new PGSimpleDataSource();
        database.setUrl(args[2]);
        if (args[3].equals("hold")) {
            ConsumerSettings<byte[], byte[]> settings = builder.build();
            hold(settings, args[1], database, Path.of(args[4]));
            return;
        }
        DatabaseSamples.perRecordNanos = TimeUnit.MICROSECONDS.toNanos(100);
        // The successor of a static member takes over immediately.
        ConsumerSettings<byte[], byte[]> settings =
                builder.property("group.instance.id", "member-1").build();
        try (JdbcOffsets offsets = JdbcOffsets.of(database, settings)) {
            DatabaseSamples.storing(settings, Subscription.topics(args[1]), database, offsets)
                    .run()
                    .await();
        }
    }

    private static void hold(ConsumerSettings<byte[], byte[]> settings, String topic, DataSource database, Path go)
            throws InterruptedException {
        try (JdbcOffsets offsets = JdbcOffsets.of(database, settings)) {
            KafkaSource.from(settings, Subscription.topics(topic))
                    .partitioned(offsets)
                    .flatMapMerge(
                            Integer.MAX_VALUE,
                            partition -> partition
                                    .records()
                                    .groupedWithin(50, Duration.ofMillis(50))
                                    .mapBlocking(batch -> storeHeld(batch, database, offsets, go)))
                    .to(Sink.ignore())
                    .run()
                    .await();
        }
    }

    /** A revocation does not interrupt this thread, so it may write after the partition is lost. */
    private static int storeHeld(
            List<ConsumerRecord<byte[], byte[]>> batch, DataSource database, JdbcOffsets offsets, Path go)
            throws Exception {
        CompletableFuture<Integer> stored = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            System.out.println("held " + batch.getFirst().partition());
            while (!Files.exists(go)) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            }
            try {
                stored.complete(DatabaseSamples.store(batch, database, offsets));
                System.out.println("stored " + batch.getFirst().partition());
            } catch (SQLException | RuntimeException refused) {
                System.out.println("refused " + refused);
                stored.completeExceptionally(refused);
            }
        });
        return stored.get();
    }
}
