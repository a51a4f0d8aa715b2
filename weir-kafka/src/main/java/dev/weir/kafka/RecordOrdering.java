package dev.weir.kafka;

import dev.weir.stream.Ordering;
import java.util.Arrays;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Orderings of consumed records for parallel stages. */
public final class RecordOrdering {

    /** {@link Ordering#keyName} of {@link #byPartition}. */
    public static final String PARTITION = "partition";

    private RecordOrdering() {}

    /** Records with equal keys (byte arrays by content) keep their order; records without a key keep none. */
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

    /** Records of one partition keep their order; the degree of parallelism is the number of partitions. */
    public static <K, V> Ordering<ConsumerRecord<K, V>> byPartition() {
        Ordering<ConsumerRecord<K, V>> order =
                Ordering.byHash(record -> record.topic().hashCode() * 31L + record.partition());
        return order.calledBy(PARTITION);
    }
}
