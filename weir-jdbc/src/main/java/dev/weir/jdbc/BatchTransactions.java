package dev.weir.jdbc;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.stream.Handler;
import dev.weir.stream.spi.Thrown;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Runs the transactions of {@link JdbcOffsets#sink}, which store a batch's results and positions. Called for one batch
 * at a time.
 */
final class BatchTransactions<K, V> implements Handler<List<ConsumerRecord<K, V>>, Integer> {

    private final JdbcOffsets offsets;
    private final DataSource dataSource;
    private final BatchWriter<K, V> writer;

    BatchTransactions(JdbcOffsets offsets, DataSource dataSource, BatchWriter<K, V> writer) {
        this.offsets = offsets;
        this.dataSource = dataSource;
        this.writer = writer;
    }

    /** Writes the records of partitions that this member still owns, and returns the number of written records. */
    @Override
    public Integer handle(List<ConsumerRecord<K, V>> batch) throws Exception {
        List<ConsumerRecord<K, V>> owned = owned(batch);
        while (!owned.isEmpty()) {
            try {
                write(owned);
                return owned.size();
            } catch (InterruptedException interrupted) {
                throw interrupted;
            } catch (Exception failure) {
                List<ConsumerRecord<K, V>> left = owned(owned);
                if (left.size() == owned.size()) {
                    throw failure instanceof PositionConflictException ? failure : notWritten(owned, failure);
                }
                // Write again without revoked partitions. Their next owner may already have inserted rows with the same
                // keys.
                owned = left;
            }
        }
        return 0;
    }

    private static KafkaPipelineException notWritten(List<? extends ConsumerRecord<?, ?>> records, Exception failure) {
        return new KafkaPipelineException(
                "cannot write " + places(records) + " in one transaction: " + Thrown.reason(failure)
                        + "; none of them is skipped, and the next run begins at the positions in the table",
                failure);
    }

    private List<ConsumerRecord<K, V>> owned(List<ConsumerRecord<K, V>> batch) {
        return batch.stream()
                .filter(record -> offsets.owns(new TopicPartition(record.topic(), record.partition())))
                .toList();
    }

    private void write(List<ConsumerRecord<K, V>> batch) throws Exception {
        inTransaction(dataSource, connection -> {
            writer.write(GuardedConnection.of(connection), batch);
            offsets.advance(connection, batch);
        });
    }

    /** The statements of a transaction. */
    @FunctionalInterface
    interface Statements<X extends Exception> {
        void execute(Connection connection) throws X, SQLException;
    }

    /** Executes the statements in one transaction, and then restores the connection's auto-commit mode. */
    static <X extends Exception> void inTransaction(DataSource dataSource, Statements<X> statements)
            throws X, SQLException {
        boolean committed = false;
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                statements.execute(connection);
                connection.commit();
                committed = true;
            } catch (Throwable failure) {
                try {
                    // After a failed rollback, keep the auto-commit mode, because changing it commits the transaction.
                    connection.rollback();
                    connection.setAutoCommit(autoCommit);
                } catch (SQLException alsoFailed) {
                    failure.addSuppressed(alsoFailed);
                }
                throw failure;
            }
            connection.setAutoCommit(autoCommit);
        } catch (SQLException broken) {
            // After the commit, the connection's next user notices a broken connection.
            if (!committed) {
                throw broken;
            }
        }
    }

    /** Returns the first and last record of each partition, as text. */
    private static String places(List<? extends ConsumerRecord<?, ?>> batch) {
        Map<String, String> places = new TreeMap<>();
        for (ConsumerRecord<?, ?> record : batch) {
            places.merge(
                    record.topic() + "-" + record.partition(),
                    "@" + record.offset(),
                    (first, last) -> first.replaceFirst(" to .*", "") + " to " + last);
        }
        StringBuilder text = new StringBuilder();
        places.forEach((partition, range) ->
                text.append(text.isEmpty() ? "" : ", ").append(partition).append(range));
        return text.toString();
    }
}
