package dev.weir.kafka;

import dev.weir.stream.Ordering;
import java.util.Arrays;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Orderings of consumed records for parallel stages. */
public final class RecordOrdering {

    /** The {@link Ordering#keyName} of {@link #byPartition}. */
    public static final String PARTITION = "partition";

    private RecordOrdering() {}

    /**
     * Returns an ordering that keeps records with equal keys in order; byte arrays are compared by content. Records
     * without a key are unordered.
     */
    public static <K, V> Ordering<ConsumerRecord<K, V>> byKey() {
        return Ordering.byHash(record -> {
            K key = record.key();
            return switch (key) {
                case null -> Ordering.NO_KEY;
                case byte[] bytes -> Arrays.hashCode(bytes);
                default -> key.hashCode();
            };
        });
    }

    /**
     * Returns an ordering that keeps the records of each partition in order, and processes one record of a partition at
     * a time.
     */
    public static <K, V> Ordering<ConsumerRecord<K, V>> byPartition() {
        Ordering<ConsumerRecord<K, V>> order =
                Ordering.byHash(record -> record.topic().hashCode() * 31L + record.partition());
        return order.calledBy(PARTITION);
    }
}
