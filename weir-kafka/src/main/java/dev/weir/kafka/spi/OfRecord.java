package dev.weir.kafka.spi;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * An element of a pipeline that knows the record it was made of. A type of your own may be one, so that a {@linkplain
 * dev.weir.kafka.ConsumerDump dump} can tell the key of a record that is stuck. Called by any thread.
 */
public interface OfRecord {

    /** The record as it was consumed. */
    ConsumerRecord<byte[], byte[]> raw();
}
