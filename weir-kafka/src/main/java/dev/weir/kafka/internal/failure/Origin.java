package dev.weir.kafka.internal.failure;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.kafka.DeadLetter;
import dev.weir.kafka.RetryTopics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Where a record was consumed first, through all retry topics it has been in since. Immutable.
 *
 * @param timestamp in milliseconds, or {@link ConsumerRecord#NO_TIMESTAMP}
 * @param attempts how often its handler had been called before this delivery
 */
record Origin(String topic, int partition, long offset, long timestamp, int attempts) {

    static Origin of(ConsumerRecord<byte[], byte[]> record) {
        String topic = text(record, RetryTopics.TOPIC);
        if (topic == null) {
            return new Origin(record.topic(), record.partition(), record.offset(), record.timestamp(), 0);
        }
        return new Origin(
                topic,
                (int) number(record, RetryTopics.PARTITION, -1),
                number(record, RetryTopics.OFFSET, -1),
                number(record, RetryTopics.TIMESTAMP, ConsumerRecord.NO_TIMESTAMP),
                (int) number(record, RetryTopics.ATTEMPTS, 0));
    }

    static long number(ConsumerRecord<byte[], byte[]> record, String name, long otherwise) {
        String text = text(record, name);
        try {
            return text == null ? otherwise : Long.parseLong(text);
        } catch (NumberFormatException foreign) {
            return otherwise;
        }
    }

    private static @Nullable String text(ConsumerRecord<byte[], byte[]> record, String name) {
        Header header = record.headers().lastHeader(name);
        return header == null || header.value() == null ? null : new String(header.value(), UTF_8);
    }

    /** For messages. */
    String place() {
        return topic + "-" + partition + "@" + offset;
    }

    /** The headers that were not put in by Weir, in their order. */
    static List<Header> originalHeaders(ConsumerRecord<byte[], byte[]> record) {
        List<Header> original = new ArrayList<>();
        for (Header header : record.headers()) {
            if (!DeadLetter.isOurs(header.key())) {
                original.add(header);
            }
        }
        return original;
    }

    /** When a record of a retry topic is due; one that does not say so is due at once. */
    static long dueMillis(ConsumerRecord<byte[], byte[]> record) {
        return number(record, RetryTopics.DUE, 0);
    }

    /** A record of a retry topic as it was in the topic it came from, with the headers that say what has been tried. */
    static ConsumerRecord<byte[], byte[]> restored(ConsumerRecord<byte[], byte[]> record) {
        Origin origin = of(record);
        return new ConsumerRecord<>(
                origin.topic(),
                origin.partition(),
                origin.offset(),
                origin.timestamp(),
                TimestampType.CREATE_TIME,
                record.serializedKeySize(),
                record.serializedValueSize(),
                record.key(),
                record.value(),
                record.headers(),
                Optional.empty());
    }
}
