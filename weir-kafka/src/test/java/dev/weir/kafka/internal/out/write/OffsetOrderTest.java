package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class OffsetOrderTest {

    private final List<String> suspected = new ArrayList<>();
    private final OffsetOrder order = new OffsetOrder(suspected::add);

    private void answered(String topic, int partition, long offset) {
        order.answered(new RecordMetadata(new TopicPartition(topic, partition), offset, 0, -1, -1, -1));
    }

    @Test
    void offsets_thatGrowInEachPartition_areInOrder() {
        answered("a", 0, 5);
        answered("a", 1, 2);
        answered("b", 1, 0);
        answered("b", 0, 1);
        answered("a", 0, 6);
        answered("a", 1, 3);
        answered("b", 0, 4);
        assertThat(suspected).isEmpty();
    }

    @Test
    void offset_belowAnEarlierOneOfItsPartition_isReported_andTheNextOneIsNot() {
        answered("a", 0, 5);
        answered("b", 0, 9);
        answered("a", 1, 7);
        answered("a", 0, 3);
        assertThat(suspected).containsExactly("a");
        answered("a", 0, 4);
        answered("b", 0, 8);
        assertThat(suspected).containsExactly("a", "b");
    }

    // The first record of a topic was written, the topic was recreated, and its first record was written again.
    @Test
    void offset_thatRepeats_isReported() {
        answered("a", 0, 0);
        answered("a", 0, 0);
        assertThat(suspected).containsExactly("a");
    }

    @Test
    void record_withoutAnOffset_isIgnored() {
        answered("a", 0, 5);
        order.answered(null);
        answered("a", 0, -1);
        answered("a", 0, 6);
        assertThat(suspected).isEmpty();
    }
}
