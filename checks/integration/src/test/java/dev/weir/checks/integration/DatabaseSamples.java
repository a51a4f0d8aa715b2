package dev.weir.checks.integration;

import dev.weir.jdbc.JdbcOffsets;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Sink;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The samples of {@code docs/guide/databases.md}, word for word. {@link JdbcOffsetsFaultsTest} runs them against
 * PostgreSQL.
 */
final class DatabaseSamples {

    /** The table of the samples. It accepts duplicate numbers, for tests to detect them. */
    static final String ORDERS = "CREATE TABLE orders (number BIGINT NOT NULL)";

    /** The duration of the work per record, long enough to stop a member in the middle. */
    static volatile long perRecordNanos;

    private DatabaseSamples() {}

    static Pipeline sinking(ConsumerSettings<byte[], byte[]> settings, Subscription orders, JdbcOffsets offsets) {
        return KafkaSource.from(settings, orders)
                .plain(offsets)
                .to(offsets.sink(500, Duration.ofMillis(200), (connection, batch) -> {
                    try (PreparedStatement insert =
                            connection.prepareStatement("INSERT INTO orders (number) VALUES (?)")) {
                        for (ConsumerRecord<byte[], byte[]> order : batch) {
                            insert.setLong(1, number(order));
                            insert.addBatch();
                        }
                        insert.executeBatch();
                    }
                }));
    }

    static Pipeline storing(
            ConsumerSettings<byte[], byte[]> settings, Subscription orders, DataSource database, JdbcOffsets offsets) {
        return KafkaSource.from(settings, orders)
                .partitioned(offsets)
                .flatMapMerge(
                        Integer.MAX_VALUE,
                        partition -> partition
                                .records()
                                .groupedWithin(500, Duration.ofMillis(50))
                                .mapBlocking(batch -> store(batch, database, offsets)))
                .to(Sink.ignore());
    }

    static int store(List<ConsumerRecord<byte[], byte[]>> batch, DataSource database, JdbcOffsets offsets)
            throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders (number) VALUES (?)")) {
                for (ConsumerRecord<byte[], byte[]> order : batch) {
                    insert.setLong(1, number(order));
                    insert.addBatch();
                }
                insert.executeBatch();
                offsets.advance(connection, batch);
                connection.commit();
            } catch (Throwable failure) {
                try {
                    connection.rollback();
                } catch (SQLException alsoFailed) {
                    failure.addSuppressed(alsoFailed);
                }
                throw failure;
            }
        }
        return batch.size();
    }

    private static long number(ConsumerRecord<byte[], byte[]> order) {
        LockSupport.parkNanos(perRecordNanos);
        return Long.parseLong(new String(order.value(), StandardCharsets.US_ASCII));
    }
}
