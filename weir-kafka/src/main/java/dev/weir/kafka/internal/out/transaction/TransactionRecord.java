package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.AckTarget;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/**
 * A record, and the claim that its transaction ends. After an abort it is written again. Its static methods make copies
 * of records that are sent more than once: a client closes the headers of a record, to which its serializers may have
 * added theirs. Confined to whoever has its transaction, or holds the lock of the {@link TransactionsOfRun}.
 */
class TransactionRecord<K, V> {

    final AckTarget target;
    final long token;
    ProducerRecord<K, V> record;

    /** The headers that it had before it was sent first. */
    private final Header[] headers;

    /** True if the record is a letter in the place of one that cannot be written. */
    boolean isLetter;

    /** True if it was asked if the record can be written; of one that is written again. */
    boolean isChecked;

    /** A record that was not sent yet. */
    TransactionRecord(ProducerRecord<K, V> record, AckTarget target, long token) {
        this(record, headers(record), target, token, false);
    }

    /**
     * A record that is about to be sent.
     *
     * @param headers those that it had before
     * @param target of the claim: one that {@link OpenTransaction#lasting lasts}, if it may be ended before the commit
     */
    TransactionRecord(ProducerRecord<K, V> record, Header[] headers, AckTarget target, long token, boolean isLetter) {
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

    /** The record as it was, to be sent once more. */
    ProducerRecord<K, V> copy() {
        return copy(record, headers);
    }

    /** The same for a claim that is ended. */
    TransactionRecord<K, V> again() {
        AckTarget ended = target instanceof OffsetTracker ? new EndedAcknowledgement(target, token, List.of()) : target;
        return new TransactionRecord<>(copy(), headers, ended, token, isLetter);
    }

    /** The origin of the record; empty if nobody knows. */
    final String place() {
        return target.placeOf(token);
    }
}
