package dev.weir.kafka.internal.handler;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * An output record that could not be written, represented as a consumed record. Topic, partition and offset identify
 * the consumed record that caused the output, if known. Immutable, except for the contents of the byte arrays.
 */
public final class UnwrittenRecord extends ConsumerRecord<byte[], byte[]> {

    private final String output;
    private final String missing;

    /**
     * Creates the record.
     *
     * @param output the topic of the output record
     * @param missing the parts that could not be serialized; empty if the record is complete
     */
    @SuppressWarnings("NullAway") // Kafka uses null for a missing key or value
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

    public String output() {
        return output;
    }

    public String missing() {
        return missing;
    }
}
