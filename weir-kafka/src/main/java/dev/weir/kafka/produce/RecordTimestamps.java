package dev.weir.kafka.produce;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Timestamps for records created from consumed records. Stateless.
 *
 * <p>Brokers accept any negative timestamp, and some producers write a missing time as the year 1, but
 * {@link ProducerRecord} rejects negative timestamps. The methods of this class return null for a negative timestamp,
 * so that the new record gets the time at which it is sent.
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

    /** Returns {@code millis}, the milliseconds since the Unix epoch, or null if {@code millis} is negative. */
    public static @Nullable Long orNone(long millis) {
        return millis < 0 ? null : Long.valueOf(millis);
    }
}
