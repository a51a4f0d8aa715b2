package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.AckTarget;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/**
 * A record written in a transaction, together with the acknowledgement of its input. A copy can be written again after
 * an abort; the client does not accept a sent record again. Confined to the thread that owns the record's transaction
 * or holds the lock of the {@link TransactionsOfRun}.
 */
class TransactionRecord<K, V> {

    final AckTarget target;
    final long token;
    ProducerRecord<K, V> record;

    /** The record's headers before it was first sent. */
    private final Header[] headers;

    /** The offset of the input. Stored because the source forgets it after the acknowledgement. */
    private final long offset;

    boolean isDeadLetter;

    /** True if the rule for unwritable records has already checked this record, which is being written again. */
    boolean isChecked;

    TransactionRecord(ProducerRecord<K, V> record, AckTarget target, long token) {
        this(record, headers(record), target, token, false);
    }

    /**
     * Creates a record that is about to be sent.
     *
     * @param headers the headers of the unsent record
     * @param target a {@link OpenTransaction#lasting lasting} target if the acknowledgement may end before the commit
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

    static Header[] headers(ProducerRecord<?, ?> record) {
        return record.headers().toArray();
    }

    static <K, V> ProducerRecord<K, V> copy(ProducerRecord<K, V> record, Header[] headers) {
        return new ProducerRecord<>(
                record.topic(), record.partition(), record.timestamp(), record.key(), record.value(), List.of(headers));
    }

    ProducerRecord<K, V> copy() {
        return copy(record, headers);
    }

    /** Returns a copy to write in another transaction, with a target that ignores a second acknowledgement. */
    TransactionRecord<K, V> again() {
        AckTarget ended = target instanceof OffsetTracker source
                ? new EndedAcknowledgement(target, token, List.of(source.placeAt(offset)))
                : target;
        return new TransactionRecord<>(copy(), headers, ended, token, isDeadLetter);
    }

    /** Returns the record's input, such as {@code orders-3@17}; empty if unknown. */
    final String place() {
        return target.placeOf(token);
    }
}
