package dev.weir.kafka.internal.handler;

import dev.weir.kafka.FailedRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Says what is written for a failed record. Thread-safe. */
@FunctionalInterface
public interface FailureRoute {

    /**
     * Returns the record to write.
     *
     * @throws dev.weir.kafka.KafkaPipelineException if it has nothing smaller to offer and the run is to fail
     * @param tooLarge how many proposals before this one were refused as too large; the last one there is comes again
     */
    ProducerRecord<byte[], byte[]> propose(FailedRecord failed, int tooLarge);
}
