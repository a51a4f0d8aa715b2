package dev.weir.examples.asimov;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A source record and its latest intermediate result. Dead-letter records are made from the source record. Immutable.
 */
record Tracked<V>(ConsumerRecord<byte[], byte[]> source, V value) {

    <R> Tracked<R> with(R next) {
        return new Tracked<>(source, next);
    }
}
