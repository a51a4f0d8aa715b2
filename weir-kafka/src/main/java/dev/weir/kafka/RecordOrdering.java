package dev.weir.kafka;

import dev.weir.stream.Ordering;
import java.util.Arrays;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Orderings of consumed records for parallel stages. */
public final class RecordOrdering {

    /** {@link Ordering#keyName} of {@link #byPartition}. */
    public static final String PARTITION = "partition";

    private RecordOrdering() {}

    /** Records with equal keys (byte arrays by content) stay in order; records without a key are unordered. */
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

    /** Records of a partition stay in order; at most one record per partition is processed at a time. */
    public static <K, V> Ordering<ConsumerRecord<K, V>> byPartition() {
        Ordering<ConsumerRecord<K, V>> order =
                Ordering.byHash(record -> record.topic().hashCode() * 31L + record.partition());
        return order.calledBy(PARTITION);
    }
}
