package dev.weir.kafka.produce;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Timestamps for records made from consumed ones. Stateless.
 *
 * <p>Brokers accept records with any negative timestamp, and some producers write a zero time as year 1, but a {@link
 * ProducerRecord} refuses it. Here every negative timestamp counts as none, so that the new record gets the time at
 * which it is sent.
 *
 * {@snippet :
 * new ProducerRecord<>("copy", null, RecordTimestamps.of(record), record.key(), record.value(), record.headers())
 * }
 */
public final class RecordTimestamps {

    private RecordTimestamps() {}

    /** The timestamp of {@code record} in milliseconds since 1970; null if it has none. */
    public static @Nullable Long of(ConsumerRecord<?, ?> record) {
        return orNone(record.timestamp());
    }

    /** {@code millis}, in milliseconds since 1970; null if negative. */
    public static @Nullable Long orNone(long millis) {
        return millis < 0 ? null : Long.valueOf(millis);
    }
}
