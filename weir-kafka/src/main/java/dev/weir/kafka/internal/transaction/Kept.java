package dev.weir.kafka.internal.transaction;

import dev.weir.kafka.internal.offsets.OffsetTracker;
import dev.weir.stream.spi.AckTarget;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/** A record of an open transaction, which is written again if the transaction is aborted. Immutable. */
final class Kept<K, V> {

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
    Kept(ProducerRecord<K, V> record, Header[] headers, AckTarget target, long token, boolean isLetter) {
        this.record = record;
        this.headers = headers;
        this.target = target;
        this.token = token;
        this.isLetter = isLetter;
    }

    /** The record as it was, to be sent once more. */
    Element<K, V> again() {
        AckTarget ended = target instanceof OffsetTracker ? new Ended(target, token, List.of()) : target;
        Element<K, V> again = new Element<>(Copies.of(record, headers), ended, token);
        again.isLetter = isLetter;
        return again;
    }
}
