package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.AckTarget;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/**
 * A record and the pending acknowledgement that its transaction ends, to be written again after an abort. Its static
 * methods copy records that are sent more than once, because a client closes a record's headers, to which serializers
 * may have added. Confined to the holder of its transaction, or of the lock of the {@link TransactionsOfRun}.
 */
class TransactionRecord<K, V> {

    final AckTarget target;
    final long token;
    ProducerRecord<K, V> record;

    /** The record's headers before it was first sent. */
    private final Header[] headers;

    /** True if this is the dead-letter record of one that cannot be written. */
    boolean isDeadLetter;

    /** True if a record that is written again was checked by the rule. */
    boolean isChecked;

    /** A record not sent yet. */
    TransactionRecord(ProducerRecord<K, V> record, AckTarget target, long token) {
        this(record, headers(record), target, token, false);
    }

    /**
     * Creates a record to send.
     *
     * @param headers its headers before that
     * @param target the acknowledgement's target; a {@link OpenTransaction#lasting lasting} one if the acknowledgement
     *     may end before the commit
     */
    TransactionRecord(
            ProducerRecord<K, V> record, Header[] headers, AckTarget target, long token, boolean isDeadLetter) {
        this.record = record;
        this.headers = headers;
        this.target = target;
        this.token = token;
        this.isDeadLetter = isDeadLetter;
    }

    /** The headers of an unsent record, for {@link #copy(ProducerRecord, Header[])}. */
    static Header[] headers(ProducerRecord<?, ?> record) {
        return record.headers().toArray();
    }

    /** The original record with these headers. */
    static <K, V> ProducerRecord<K, V> copy(ProducerRecord<K, V> record, Header[] headers) {
        return new ProducerRecord<>(
                record.topic(), record.partition(), record.timestamp(), record.key(), record.value(), List.of(headers));
    }

    /** The original record, to be sent once more. */
    ProducerRecord<K, V> copy() {
        return copy(record, headers);
    }

    /** A copy whose acknowledgement has ended. */
    TransactionRecord<K, V> again() {
        AckTarget ended = target instanceof OffsetTracker ? new EndedAcknowledgement(target, token, List.of()) : target;
        return new TransactionRecord<>(copy(), headers, ended, token, isDeadLetter);
    }

    /** The origin of the record; empty if not known. */
    final String place() {
        return target.placeOf(token);
    }
}
