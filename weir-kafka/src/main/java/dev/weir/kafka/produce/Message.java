package dev.weir.kafka.produce;

import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The records to write for an element, and a value to pass downstream. Immutable.
 *
 * @param records the records, written in this order; if empty, the element is only passed through
 * @param passThrough a value for downstream operators, which is not written
 */
public record Message<K, V, P>(List<ProducerRecord<K, V>> records, P passThrough) {

    /** Copies the list. Rejects null. */
    public Message {
        records = List.copyOf(Objects.requireNonNull(records, "records"));
        Objects.requireNonNull(passThrough, "passThrough");
    }

    /** Creates a message with one record. */
    public static <K, V, P> Message<K, V, P> single(ProducerRecord<K, V> record, P passThrough) {
        return new Message<>(List.of(Objects.requireNonNull(record, "record")), passThrough);
    }

    /** Creates a message with several records. The message is finished when all of its records are durable. */
    public static <K, V, P> Message<K, V, P> multi(List<ProducerRecord<K, V>> records, P passThrough) {
        return new Message<>(records, passThrough);
    }

    /** Creates a message that writes nothing. Its result is emitted in order with other results. */
    public static <K, V, P> Message<K, V, P> passThrough(P passThrough) {
        return new Message<>(List.of(), passThrough);
    }
}
