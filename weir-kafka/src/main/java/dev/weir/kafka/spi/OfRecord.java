package dev.weir.kafka.spi;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * An element with access to the consumed record from which it was derived. A {@linkplain dev.weir.kafka.ConsumerDump
 * dump} can show the key of a stuck record if elements implement this interface. Called by any thread.
 */
public interface OfRecord {

    /** Returns the consumed record, before decoding. */
    ConsumerRecord<byte[], byte[]> raw();
}
