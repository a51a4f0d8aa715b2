package dev.weir.kafka;

import dev.weir.kafka.spi.OfRecord;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A consumed record after deserialization: the typed record, or the reason why there is none. Immutable, except for the
 * byte arrays, which must not be changed. See {@link KafkaSource#decoded}.
 */
public sealed interface Decoded<K, V> extends OfRecord {

    /** The record as it was consumed: key and value as bytes, headers, topic, partition, offset, timestamp. */
    @Override
    ConsumerRecord<byte[], byte[]> raw();

    /**
     * A record that could be decoded.
     *
     * @param raw as consumed
     * @param record the same record with typed key and value
     */
    record Read<K, V>(ConsumerRecord<byte[], byte[]> raw, ConsumerRecord<K, V> record) implements Decoded<K, V> {

        /** Refuses null. */
        public Read {
            Objects.requireNonNull(raw, "raw");
            Objects.requireNonNull(record, "record");
        }
    }

    /**
     * A record whose key or value a deserializer refused.
     *
     * @param raw as consumed
     * @param cause names the record's place; its cause is the deserializer's exception
     */
    record Refused<K, V>(ConsumerRecord<byte[], byte[]> raw, RecordDecodeException cause) implements Decoded<K, V> {

        /** Refuses null. */
        public Refused {
            Objects.requireNonNull(raw, "raw");
            Objects.requireNonNull(cause, "cause");
        }
    }
}
