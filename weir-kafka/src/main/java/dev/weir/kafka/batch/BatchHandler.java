package dev.weir.kafka.batch;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Handles several records in one call, which may block: an insert of many rows, a request with many items. Called by
 * several threads at once, if the flow's concurrency is more than 1.
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
     * @param records at least one, in their order within a partition; not to be changed
     * @return an outcome for each record, in the same order. Another number of them fails the pipeline
     * @throws Exception if not even some of them are done: the batch is divided until the record is found that is the
     *     reason, and each part is handled in a call of its own. So a record may be handled again that was handled in
     *     vain by a call that threw
     */
    List<BatchOutcome> handle(List<ConsumerRecord<K, V>> records) throws Exception;
}
