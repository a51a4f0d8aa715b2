package dev.weir.examples.asimov;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The current outcome of a source record, and the record itself, which a dead-letter record needs again. Immutable. */
record Tracked<V>(ConsumerRecord<byte[], byte[]> source, V value) {

    <R> Tracked<R> with(R next) {
        return new Tracked<>(source, next);
    }
}
