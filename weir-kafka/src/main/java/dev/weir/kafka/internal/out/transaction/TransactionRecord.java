package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.AckTarget;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/**
 * A record written in a transaction, together with the acknowledgement of its input. After an abort, a copy of it can
 * be written again. The record itself cannot, because the client closes the headers of a sent record, and serializers
 * may have added headers. Confined to the thread that owns the record's transaction or holds the lock of the
 * {@link TransactionsOfRun}.
 */
class TransactionRecord<K, V> {

    final AckTarget target;
    final long token;
    ProducerRecord<K, V> record;

    /** The record's headers before it was first sent. */
    private final Header[] headers;

    /** The offset of the input, for a target that is a source: the source forgets it after the acknowledgement. */
    private final long offset;

    /** True if this is the dead-letter record of a record that cannot be written. */
    boolean isDeadLetter;

    /** True if the record is being written again, and the rule for unwritable records has already checked it. */
    boolean isChecked;

    /** Creates a record that has not been sent. */
    TransactionRecord(ProducerRecord<K, V> record, AckTarget target, long token) {
        this(record, headers(record), target, token, false);
    }

    /**
     * Creates a record that is about to be sent.
     *
     * @param headers the record's headers before it is sent
     * @param target the acknowledgement's target, which must be a {@link OpenTransaction#lasting lasting} target if the
     *     acknowledgement may end before the transaction is committed
     */
    TransactionRecord(
            ProducerRecord<K, V> record, Header[] headers, AckTarget target, long token, boolean isDeadLetter) {
        this.record = record;
        this.headers = headers;
        this.target = target;
        this.token = token;
        this.isDeadLetter = isDeadLetter;
        this.offset = target instanceof OffsetTracker source ? source.offsetOf(token) : -1;
    }

    /** Returns the headers of an unsent record, for {@link #copy(ProducerRecord, Header[])}. */
    static Header[] headers(ProducerRecord<?, ?> record) {
        return record.headers().toArray();
    }

    static <K, V> ProducerRecord<K, V> copy(ProducerRecord<K, V> record, Header[] headers) {
        return new ProducerRecord<>(
                record.topic(), record.partition(), record.timestamp(), record.key(), record.value(), List.of(headers));
    }

    /** Returns a copy of the original record, to be sent once more. */
    ProducerRecord<K, V> copy() {
        return copy(record, headers);
    }

    /**
     * Returns a copy to be written in another transaction. If the target is an {@link OffsetTracker}, it has already
     * received the acknowledgement, so the copy gets a target that ignores a second one.
     */
    TransactionRecord<K, V> again() {
        AckTarget ended = target instanceof OffsetTracker source
                ? new EndedAcknowledgement(target, token, List.of(source.placeAt(offset)))
                : target;
        return new TransactionRecord<>(copy(), headers, ended, token, isDeadLetter);
    }

    /** The origin of the record's input, such as {@code orders-3@17}; empty if unknown. */
    final String place() {
        return target.placeOf(token);
    }
}
