package dev.weir.kafka.internal.out.write;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Detects offsets of a partition that go back. Within one log that happens only after a truncation, so the topic may
 * have been recreated. Confined to a producer's thread.
 */
final class OffsetOrder {

    private final Consumer<String> onReturn;
    private final Map<TopicPartition, long[]> lastOffsets = new HashMap<>();

    // Answers arrive batch by batch, so the last one's partition is checked first.
    private String topic = "";
    private int partition;
    private long[] last = {};

    /** Creates a detector that calls {@code onReturn} with the topic; the call must not block. */
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
        if (metadata.offset() < last[0]) {
            onReturn.accept(topic);
        }
        last[0] = metadata.offset();
    }
}
