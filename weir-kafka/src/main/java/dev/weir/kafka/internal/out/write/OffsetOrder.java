package dev.weir.kafka.internal.out.write;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Detects a partition whose offsets go backward or repeat. Its topic was probably recreated; otherwise, its log was
 * truncated. Confined to a producer's thread.
 */
final class OffsetOrder {

    private final Consumer<String> onReturn;
    private final Map<TopicPartition, long[]> lastOffsets = new HashMap<>();

    // The partition of the previous record and its entry in the map, cached because consecutive records are often of
    // the same batch.
    private String topic = "";
    private int partition;
    private long[] last = {};

    /** Creates a detector that passes the names of affected topics to {@code onReturn}, which must not block. */
    OffsetOrder(Consumer<String> onReturn) {
        this.onReturn = onReturn;
    }

    void answered(@Nullable RecordMetadata metadata) {
        if (metadata == null || !metadata.hasOffset()) {
            return;
        }
        if (metadata.partition() != partition || !metadata.topic().equals(topic)) {
            topic = metadata.topic();
            partition = metadata.partition();
            last = lastOffsets.computeIfAbsent(new TopicPartition(topic, partition), tp -> new long[] {-1});
        }
        if (metadata.offset() <= last[0]) {
            onReturn.accept(topic);
        }
        last[0] = metadata.offset();
    }
}
