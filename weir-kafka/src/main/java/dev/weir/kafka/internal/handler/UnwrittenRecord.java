package dev.weir.kafka.internal.handler;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * A record that could not be written, at the place of the consumed record that it was made of: what stands in for that
 * one where it is not at hand. Immutable but for the bytes.
 */
public final class UnwrittenRecord extends ConsumerRecord<byte[], byte[]> {

    private final String output;
    private final String missing;

    /**
     * Creates one.
     *
     * @param output the topic that it was for
     * @param missing what of it could not be made bytes of, in words; empty if it is whole
     */
    @SuppressWarnings("NullAway") // a record without key or value has null there
    public UnwrittenRecord(
            String topic,
            int partition,
            long offset,
            long timestamp,
            byte @Nullable [] key,
            byte @Nullable [] value,
            Headers headers,
            String output,
            String missing) {
        super(
                topic,
                partition,
                offset,
                timestamp,
                TimestampType.CREATE_TIME,
                key == null ? -1 : key.length,
                value == null ? -1 : value.length,
                key,
                value,
                new RecordHeaders(headers),
                Optional.empty());
        this.output = output;
        this.missing = missing;
    }

    String output() {
        return output;
    }

    String missing() {
        return missing;
    }
}
