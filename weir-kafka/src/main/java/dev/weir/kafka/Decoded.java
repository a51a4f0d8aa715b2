package dev.weir.kafka;

import dev.weir.kafka.spi.OfRecord;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The result of decoding a consumed record: the typed record, or the reason why it could not be decoded. Immutable,
 * except for the byte arrays, which must not be modified. See {@link KafkaSource#decoded}.
 */
public sealed interface Decoded<K, V> extends OfRecord {

    /** The record before decoding: key and value as bytes, headers, topic, partition, offset and timestamp. */
    @Override
    ConsumerRecord<byte[], byte[]> raw();

    /**
     * A successfully decoded record.
     *
     * @param raw the record before decoding
     * @param record the same record with typed key and value
     */
    record Read<K, V>(ConsumerRecord<byte[], byte[]> raw, ConsumerRecord<K, V> record) implements Decoded<K, V> {

        /** Rejects null. */
        public Read {
            Objects.requireNonNull(raw, "raw");
            Objects.requireNonNull(record, "record");
        }
    }

    /**
     * A record whose key or value was rejected by a deserializer.
     *
     * @param raw the record before decoding
     * @param cause an exception with the record's topic, partition and offset, caused by the deserializer's exception
     */
    record Refused<K, V>(ConsumerRecord<byte[], byte[]> raw, RecordDecodeException cause) implements Decoded<K, V> {

        /** Rejects null. */
        public Refused {
            Objects.requireNonNull(raw, "raw");
            Objects.requireNonNull(cause, "cause");
        }
    }
}
