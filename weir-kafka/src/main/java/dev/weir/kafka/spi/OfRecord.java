package dev.weir.kafka.spi;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * An element that knows the consumed record it was made from. Your own types may implement it, so that a
 * {@linkplain dev.weir.kafka.ConsumerDump dump} can show the key of a stuck record. Called by any thread.
 */
public interface OfRecord {

    /** The record as it was consumed. */
    ConsumerRecord<byte[], byte[]> raw();
}
