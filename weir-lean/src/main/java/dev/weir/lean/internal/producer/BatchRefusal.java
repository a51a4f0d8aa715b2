package dev.weir.lean.internal.producer;

import dev.weir.lean.SendException;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;

/**
 * The exceptions for the records of a batch that was given up. If the broker names faulty records (KIP-467), it
 * rejected the batch's other records only because of the faulty ones. Confined to the producer's thread.
 */
final class BatchRefusal {

    private final SendException ofAll;
    private final Map<Integer, SendException> ofCulprits = new HashMap<>();

    BatchRefusal(ProducerPartition partition, ProducerBatch batch) {
        String topic = partition.topic.name;
        boolean blamed = !batch.culprits.isEmpty();
        ofAll = new SendException(
                topic,
                partition.number,
                batch.mayBeWritten(),
                blamed ? "in one batch with a record that the broker refused: " + batch.trouble : batch.trouble,
                blamed ? null : batch.cause);
        for (BatchIndexAndErrorMessage each : batch.culprits) {
            String message = each.batchIndexErrorMessage();
            String why = message == null ? batch.trouble : message;
            ofCulprits.put(
                    each.batchIndex(),
                    new SendException(topic, partition.number, false, why, new InvalidRecordException(why)));
        }
    }

    /** The reason why the record at this index in the batch was given up. */
    SendException ofRecord(int index) {
        return ofCulprits.isEmpty() ? ofAll : ofCulprits.getOrDefault(index, ofAll);
    }
}
