package dev.weir.jdbc;

import java.sql.Connection;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Stores the results of a batch of records in a transaction that {@link JdbcOffsets#sink} begins and ends. Called for
 * one batch at a time, on a virtual thread. May block.
 */
@FunctionalInterface
public interface BatchWriter<K, V> {

    /**
     * Writes the results of {@code batch}. Must not have effects outside the transaction, because the batch is written
     * again after a rollback.
     *
     * @param connection valid until this method returns; not in auto-commit mode. It rejects {@code commit},
     *     {@code setAutoCommit}, {@code abort}, {@code close}, and any {@code rollback} except to a savepoint. The same
     *     applies to a connection obtained from a statement, a result set, the metadata or {@code unwrap}. SQL
     *     statements must not end the transaction either
     * @param batch at least one record; records of a partition are in order
     * @throws Exception to roll back and fail the pipeline; the batch is not skipped
     */
    void write(Connection connection, List<ConsumerRecord<K, V>> batch) throws Exception;
}
