package dev.weir.kafka.internal.transaction;

import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/**
 * Copies of records that are sent more than once: a client closes the headers of a record, to which its serializers may
 * have added theirs. Stateless.
 */
final class Copies {

    private Copies() {}

    /** The headers of a record that was not sent yet, for {@link #of(ProducerRecord, Header[])}. */
    static Header[] headers(ProducerRecord<?, ?> record) {
        return record.headers().toArray();
    }

    /** The record as it was with these headers. */
    static <K, V> ProducerRecord<K, V> of(ProducerRecord<K, V> record, Header[] headers) {
        return new ProducerRecord<>(
                record.topic(), record.partition(), record.timestamp(), record.key(), record.value(), List.of(headers));
    }

    /** A copy of a record that was not sent yet. */
    static <K, V> ProducerRecord<K, V> of(ProducerRecord<K, V> record) {
        return of(record, headers(record));
    }
}
