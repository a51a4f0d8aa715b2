package dev.weir.kafka.internal.transaction;

import dev.weir.stream.spi.AckTarget;
import org.apache.kafka.clients.producer.ProducerRecord;

/** A record that is to be written, and the claim that this ends. Guarded by the lock of the {@link Board}. */
final class Element<K, V> {

    final AckTarget target;
    final long token;
    ProducerRecord<K, V> record;

    /** True if the record is a letter in the place of one that cannot be written. */
    boolean isLetter;

    /** True if it was asked if the record can be written; of one that is written again. */
    boolean isChecked;

    Element(ProducerRecord<K, V> record, AckTarget target, long token) {
        this.record = record;
        this.target = target;
        this.token = token;
    }
}
