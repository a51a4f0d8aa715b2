package dev.weir.kafka.internal.handler;

import dev.weir.kafka.deadletter.FailedRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Determines the record to write for a failed record. Thread-safe. */
@FunctionalInterface
public interface FailureRoute {

    /**
     * Returns the record to write.
     *
     * @throws dev.weir.kafka.KafkaPipelineException if there is no smaller proposal and the run must fail
     * @param tooLarge number of earlier proposals that were rejected as too large; if there is no smaller proposal, the
     *     last one is returned again
     */
    ProducerRecord<byte[], byte[]> propose(FailedRecord failed, int tooLarge);
}
