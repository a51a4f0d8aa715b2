package dev.weir.examples.asimov;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A source record and its latest intermediate result. The record is kept because a dead-letter record may have to be
 * made from it. Immutable.
 */
record Tracked<V>(ConsumerRecord<byte[], byte[]> source, V value) {

    <R> Tracked<R> with(R next) {
        return new Tracked<>(source, next);
    }
}
