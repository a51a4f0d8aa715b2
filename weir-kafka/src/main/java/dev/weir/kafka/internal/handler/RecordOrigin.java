package dev.weir.kafka.internal.handler;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.kafka.RetryTopics;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * The topic, partition and offset at which a record was first consumed, before any retry topic. Immutable.
 *
 * @param timestamp in milliseconds, or {@link ConsumerRecord#NO_TIMESTAMP}
 * @param attempts number of handler calls before this delivery
 */
record RecordOrigin(String topic, int partition, long offset, long timestamp, int attempts) {

    static RecordOrigin of(ConsumerRecord<byte[], byte[]> record) {
        return record instanceof RetriedRecord retried
                ? retried.origin()
                : new RecordOrigin(record.topic(), record.partition(), record.offset(), record.timestamp(), 0);
    }

    static long number(ConsumerRecord<byte[], byte[]> record, String name, long otherwise) {
        String text = text(record, name);
        try {
            return text == null ? otherwise : Long.parseLong(text);
        } catch (NumberFormatException foreign) {
            return otherwise;
        }
    }

    static @Nullable String text(ConsumerRecord<byte[], byte[]> record, String name) {
        Header header = record.headers().lastHeader(name);
        return header == null || header.value() == null ? null : new String(header.value(), UTF_8);
    }

    /** Returns the origin as text, such as {@code orders-3@17}. */
    String place() {
        return topic + "-" + partition + "@" + offset;
    }

    /** Returns the headers that Weir did not add, in order. */
    static List<Header> originalHeaders(ConsumerRecord<byte[], byte[]> record) {
        List<Header> original = new ArrayList<>();
        for (Header header : record.headers()) {
            if (!DeadLetterHeaders.isOurs(header.key())) {
                original.add(header);
            }
        }
        return original;
    }

    /** Returns the time at which a record in a retry topic is due; 0 if it is due immediately. */
    static long dueMillis(ConsumerRecord<byte[], byte[]> record) {
        return number(record, RetryTopics.DUE, 0);
    }
}
