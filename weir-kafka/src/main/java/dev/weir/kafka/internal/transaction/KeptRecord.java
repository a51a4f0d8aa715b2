package dev.weir.kafka.internal.transaction;

import dev.weir.kafka.internal.offsets.OffsetTracker;
import dev.weir.kafka.internal.transaction.TransactionalLoop.Element;
import dev.weir.stream.spi.AckTarget;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/**
 * A record of an open transaction, which is written again if the transaction is aborted. Immutable. Its static methods
 * make copies of records that are sent more than once: a client closes the headers of a record, to which its
 * serializers may have added theirs.
 */
final class KeptRecord<K, V> {

    private final ProducerRecord<K, V> record;
    private final Header[] headers;
    private final AckTarget target;
    private final long token;
    private final boolean isLetter;

    /**
     * Keeps a record that is about to be sent.
     *
     * @param headers those that it had before
     * @param target of the claim that it ends: one that {@link OpenTransaction#lasting lasts}
     */
    KeptRecord(ProducerRecord<K, V> record, Header[] headers, AckTarget target, long token, boolean isLetter) {
        this.record = record;
        this.headers = headers;
        this.target = target;
        this.token = token;
        this.isLetter = isLetter;
    }

    /** The headers of a record that was not sent yet, for {@link #copy(ProducerRecord, Header[])}. */
    static Header[] headers(ProducerRecord<?, ?> record) {
        return record.headers().toArray();
    }

    /** The record as it was with these headers. */
    static <K, V> ProducerRecord<K, V> copy(ProducerRecord<K, V> record, Header[] headers) {
        return new ProducerRecord<>(
                record.topic(), record.partition(), record.timestamp(), record.key(), record.value(), List.of(headers));
    }

    /** A copy of a record that was not sent yet. */
    static <K, V> ProducerRecord<K, V> copy(ProducerRecord<K, V> record) {
        return copy(record, headers(record));
    }

    /** The record as it was, to be sent once more. */
    Element<K, V> again() {
        AckTarget ended = target instanceof OffsetTracker ? new EndedClaim(target, token, List.of()) : target;
        Element<K, V> again = new Element<>(copy(record, headers), ended, token);
        again.isLetter = isLetter;
        return again;
    }
}
