package dev.weir.kafka;

import dev.weir.kafka.internal.in.fetch.UnreadableBatch;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Decodes consumed records. Use it in {@code map} after a source of undecoded records. Thread-safe if its deserializers
 * are.
 */
public final class RecordDecoder<K, V> implements Function<ConsumerRecord<byte[], byte[]>, Decoded<K, V>> {

    private final Deserializer<K> keys;
    private final Deserializer<V> values;

    public RecordDecoder(Deserializer<K> keys, Deserializer<V> values) {
        this.keys = Objects.requireNonNull(keys, "keys");
        this.values = Objects.requireNonNull(values, "values");
    }

    /** Returns the typed record, or the reason why it could not be decoded. Throws only JVM errors. */
    @Override
    public Decoded<K, V> apply(ConsumerRecord<byte[], byte[]> raw) {
        UnreadableBatch batch = UnreadableBatch.in(Objects.requireNonNull(raw, "raw"));
        if (batch != null) {
            return new Decoded.Refused<>(
                    raw, new RecordDecodeException(raw.topic(), raw.partition(), raw.offset(), batch.cause()));
        }
        try {
            return new Decoded.Read<>(raw, decode(raw));
        } catch (RecordDecodeException refused) {
            return new Decoded.Refused<>(raw, refused);
        }
    }

    /**
     * Returns the typed record.
     *
     * @throws RecordDecodeException if a deserializer rejects the record
     */
    public ConsumerRecord<K, V> decode(ConsumerRecord<byte[], byte[]> raw) {
        try {
            return new ConsumerRecord<>(
                    raw.topic(),
                    raw.partition(),
                    raw.offset(),
                    raw.timestamp(),
                    raw.timestampType(),
                    raw.serializedKeySize(),
                    raw.serializedValueSize(),
                    keys.deserialize(raw.topic(), raw.headers(), raw.key()),
                    values.deserialize(raw.topic(), raw.headers(), raw.value()),
                    raw.headers(),
                    raw.leaderEpoch(),
                    raw.deliveryCount());
        } catch (RuntimeException | StackOverflowError refused) {
            throw new RecordDecodeException(raw.topic(), raw.partition(), raw.offset(), refused);
        }
    }
}
