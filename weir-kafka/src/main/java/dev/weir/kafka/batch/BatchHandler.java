package dev.weir.kafka.batch;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Handles several records in one call, which may block: an insert of many rows, a request with many items. Called by
 * several threads at once if the flow's concurrency is above 1.
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
     * @param records at least one, in order within each partition; must not be changed
     * @return an outcome for each record, in the same order. A list of another size fails the pipeline
     * @throws Exception if no outcome can be given for any record. The batch is split until the failing record is
     *     found, and each part is handled in its own call, so records may be handled again after a call that threw
     */
    List<BatchOutcome> handle(List<ConsumerRecord<K, V>> records) throws Exception;
}
