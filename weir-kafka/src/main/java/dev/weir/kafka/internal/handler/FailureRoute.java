package dev.weir.kafka.internal.handler;

import dev.weir.kafka.deadletter.FailedRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Determines the record to write for a failed record. Thread-safe. */
@FunctionalInterface
public interface FailureRoute {

    /**
     * Returns the record to write.
     *
     * @throws dev.weir.kafka.KafkaPipelineException if the record has no smaller form and the run must fail
     * @param tooLarge how many earlier proposals for this record were too large
     */
    ProducerRecord<byte[], byte[]> propose(FailedRecord failed, int tooLarge);
}
