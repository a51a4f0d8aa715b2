package dev.weir.kafka.produce;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Timestamps for records created from consumed records. Stateless.
 *
 * <p>{@link ProducerRecord} rejects negative timestamps, although brokers accept them and some producers write a
 * missing time as the year 1. The methods return null for a negative timestamp. The new record then gets the time of
 * sending.
 *
 * {@snippet :
 * new ProducerRecord<>("copy", null, RecordTimestamps.of(record), record.key(), record.value(), record.headers())
 * }
 */
public final class RecordTimestamps {

    private RecordTimestamps() {}

    /** Returns the timestamp of {@code record} in milliseconds since the Unix epoch, or null if it has none. */
    public static @Nullable Long of(ConsumerRecord<?, ?> record) {
        return orNone(record.timestamp());
    }

    /** Returns {@code millis} since the Unix epoch, or null if it is negative. */
    public static @Nullable Long orNone(long millis) {
        return millis < 0 ? null : Long.valueOf(millis);
    }
}
