package dev.weir.jdbc;

import java.sql.Connection;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Stores the results of a batch of records in a transaction that {@link JdbcOffsets#sink} begins and ends. Called for
 * one batch at a time, on a virtual thread; may block.
 */
@FunctionalInterface
public interface BatchWriter<K, V> {

    /**
     * Writes the results of {@code batch}. A batch whose transaction was rolled back is written again, so there must be
     * no effects outside the transaction.
     *
     * @param connection valid until this returns, not in auto-commit mode. It refuses {@code commit}, {@code rollback}
     *     other than to a savepoint, {@code setAutoCommit}, {@code abort} and {@code close}
     * @param batch at least one record; records of a partition in order
     * @throws Exception to roll back and fail the pipeline; the batch is not skipped
     */
    void write(Connection connection, List<ConsumerRecord<K, V>> batch) throws Exception;
}
