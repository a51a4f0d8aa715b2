package dev.weir.kafka.internal.in.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class OffsetTextsTest {

    private static Map<TopicPartition, OffsetAndMetadata> offsets(int partitions) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (int i = 0; i < partitions; i++) {
            offsets.put(
                    new TopicPartition("orders", i),
                    new OffsetAndMetadata(10L * i, Optional.of(3), "w1;AAEC,{x}=" + i));
        }
        return offsets;
    }

    @Test
    void offsets_areNamedInOrder_andManyAreCounted() {
        assertThat(OffsetTexts.of(offsets(2))).isEqualTo("orders-0@0, orders-1@10");
        assertThat(OffsetTexts.of(offsets(50)))
                .startsWith("orders-0@0, orders-1@10")
                .endsWith(" and 38 more");
        assertThat(OffsetTexts.of(offsets(0))).isEmpty();
    }

    /** The message has the wording of {@code KafkaConsumer.commitSync}. */
    @Test
    void messageOfAClient_losesTheMetadata() {
        TimeoutException fault =
                new TimeoutException("Timeout of 60000ms expired before successfully committing offsets " + offsets(2));
        assertThat(OffsetTexts.messageOf(fault))
                .contains("orders-0=0", "orders-1=10")
                .doesNotContain("OffsetAndMetadata", "leaderEpoch", "metadata", "AAEC");
        assertThat(OffsetTexts.messageOf(new TimeoutException("late"))).isEqualTo("late");
        assertThat(OffsetTexts.messageOf(new TimeoutException())).isEqualTo("null");
    }
}
