package dev.weir.kafka.spi;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * An element that gives access to the consumed record from which it was derived. If your element types implement this
 * interface, a {@linkplain dev.weir.kafka.ConsumerDump dump} can show the key of a stuck record. Called by any thread.
 */
public interface OfRecord {

    /** Returns the consumed record, before decoding. */
    ConsumerRecord<byte[], byte[]> raw();
}
