package dev.weir.kafka.internal.handler;

import dev.weir.kafka.deadletter.FailedRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Determines the record to write for a failed record. Thread-safe. */
@FunctionalInterface
public interface FailureRoute {

    /**
     * Returns the record to write.
     *
     * @throws dev.weir.kafka.KafkaPipelineException if there is no smaller form of the record and the run must fail
     * @param tooLarge number of earlier proposals that were rejected as too large; if no smaller form exists, the last
     *     proposal is returned again
     */
    ProducerRecord<byte[], byte[]> propose(FailedRecord failed, int tooLarge);
}
