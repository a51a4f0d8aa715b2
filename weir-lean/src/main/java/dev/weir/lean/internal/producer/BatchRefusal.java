package dev.weir.lean.internal.producer;

import dev.weir.lean.SendException;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;

/**
 * The exceptions for the records of a batch that was given up. A broker may report which records are faulty (KIP-467).
 * Confined to the producer's thread.
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
                    new SendException(
                            topic, partition.number, batch.mayBeWritten(), why, new InvalidRecordException(why)));
        }
    }

    BatchRefusal(SendException ofAll) {
        this.ofAll = ofAll;
    }

    SendException ofRecord(int index) {
        return ofCulprits.isEmpty() ? ofAll : ofCulprits.getOrDefault(index, ofAll);
    }
}
