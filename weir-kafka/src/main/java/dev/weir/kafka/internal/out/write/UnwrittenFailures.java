package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.handler.UnwrittenRecord;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/** Converts records that cannot be written into failed records. Confined to the stage's thread. */
public final class UnwrittenFailures<K, V> {

    /**
     * Matches the origin of a Kafka record, such as {@code orders-3@17} or {@code orders-3@17 and 2 more}. Other
     * sources may use longer numbers, which would not fit.
     */
    private static final Pattern PLACE = Pattern.compile("(.+)-(\\d{1,9})@(\\d{1,18})(?: and .*)?");

    private final ProducerSettings<K, V> settings;

    public UnwrittenFailures(ProducerSettings<K, V> settings) {
        this.settings = settings;
    }

    /**
     * Returns the failed record, with key and value as bytes.
     *
     * @param place the origin of the record's input. If it is empty, the failed record has the output topic, but
     *     neither partition nor offset
     */
    public FailedRecord failed(ProducerRecord<K, V> record, Throwable refusal, String place) {
        Matcher at = PLACE.matcher(place);
        boolean isKnown = at.matches();
        byte @Nullable [] key = bytes(settings.keySerializer(), record, record.key());
        byte @Nullable [] value = bytes(settings.valueSerializer(), record, record.value());
        String missing = (key == null && record.key() != null ? "key not serialisable " : "")
                + (value == null && record.value() != null ? "value not serialisable" : "");
        return new FailedRecord(
                new UnwrittenRecord(
                        isKnown ? at.group(1) : record.topic(),
                        isKnown ? Integer.parseInt(at.group(2)) : -1,
                        isKnown ? Long.parseLong(at.group(3)) : -1,
                        record.timestamp() == null ? ConsumerRecord.NO_TIMESTAMP : record.timestamp(),
                        key,
                        value,
                        record.headers(),
                        record.topic(),
                        missing.strip()),
                FailedRecord.Reason.WRITE,
                refusal,
                0,
                false);
    }

    private static <T> byte @Nullable [] bytes(
            Serializer<T> serializer, ProducerRecord<?, ?> record, @Nullable T data) {
        try {
            return data == null
                    ? null
                    : serializer.serialize(record.topic(), new RecordHeaders(record.headers()), data);
        } catch (RuntimeException | StackOverflowError notSerialisable) {
            return null;
        }
    }
}
