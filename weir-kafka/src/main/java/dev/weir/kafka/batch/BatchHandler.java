package dev.weir.kafka.batch;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A handler that processes several records in one call, such as an insert of many rows or a request with many items.
 * The call may block. Several threads call the handler if the flow's concurrency is above 1.
 *
 * {@snippet :
 * BatchHandler<String, Order> insert = orders -> {
 *     database.insertAll(orders);
 *     return BatchOutcome.allDone(orders);
 * };
 * }
 */
@FunctionalInterface
public interface BatchHandler<K, V> {

    /**
     * Handles records.
     *
     * @param records the records, at least one, in order within each partition; must not be modified
     * @return an outcome for each record, in the same order. A list of a different size fails the pipeline
     * @throws Exception if the handler cannot return outcomes. The batch is then split until the failing record is
     *     found, and its records are handled again in smaller calls
     */
    List<BatchOutcome> handle(List<ConsumerRecord<K, V>> records) throws Exception;
}
