package dev.weir.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class WrittenTopicTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    private final List<Long> read = new ArrayList<>();

    /** Returns a consumer that has received this many records, and receives no others. */
    private static MockConsumer<byte[], byte[]> receiving(int records) {
        MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
        consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
        consumer.schedulePollTask(() -> {
            for (int offset = 0; offset < records; offset++) {
                consumer.addRecord(new ConsumerRecord<>("t", 0, offset, null, new byte[16]));
            }
        });
        return consumer;
    }

    private void read(MockConsumer<byte[], byte[]> from, long end) {
        WrittenTopic.read(from, Map.of(PARTITION, end), 0, record -> read.add(record.offset()));
    }

    @Test
    void topic_isReadUpToItsEnd() {
        read(receiving(3), 3);
        assertThat(read).containsExactly(0L, 1L, 2L);
    }

    @Test
    void emptyTopic_isReadWithoutAPoll() {
        read(receiving(0), 0);
        assertThat(read).isEmpty();
    }

    /** Regression: the check of a dry run stopped reading after half a minute. */
    @Test
    void topicWithoutItsLastRecords_isNotRead() {
        assertThatThrownBy(() -> read(receiving(2), 3))
                .isInstanceOf(TimeoutException.class)
                .hasMessage("nothing came for 0 s");
        assertThat(read).containsExactly(0L, 1L);
    }
}
