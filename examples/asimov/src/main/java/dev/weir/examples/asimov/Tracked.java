package dev.weir.examples.asimov;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The outcome of a source record so far, and the record itself, which a dead-letter record needs again. Immutable. */
record Tracked<V>(ConsumerRecord<byte[], byte[]> source, V value) {

    <R> Tracked<R> with(R next) {
        return new Tracked<>(source, next);
    }
}
