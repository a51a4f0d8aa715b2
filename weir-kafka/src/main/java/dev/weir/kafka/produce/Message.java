package dev.weir.kafka.produce;

import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The records written for one element, and a value that is passed through. Immutable.
 *
 * @param records written in this order; if empty, the element only passes through
 * @param passThrough for downstream operators; not written
 */
public record Message<K, V, P>(List<ProducerRecord<K, V>> records, P passThrough) {

    /** Copies the list; refuses null. */
    public Message {
        records = List.copyOf(Objects.requireNonNull(records, "records"));
        Objects.requireNonNull(passThrough, "passThrough");
    }

    /** A message with one record. */
    public static <K, V, P> Message<K, V, P> single(ProducerRecord<K, V> record, P passThrough) {
        return new Message<>(List.of(Objects.requireNonNull(record, "record")), passThrough);
    }

    /** A message with several records, done when all of them are durable. */
    public static <K, V, P> Message<K, V, P> multi(List<ProducerRecord<K, V>> records, P passThrough) {
        return new Message<>(records, passThrough);
    }

    /** A message that writes nothing: its element keeps its place in the order of results. */
    public static <K, V, P> Message<K, V, P> passThrough(P passThrough) {
        return new Message<>(List.of(), passThrough);
    }
}
