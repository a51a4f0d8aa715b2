package dev.weir.kafka.deadletter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.deadletter.OriginalRecords.Found;
import dev.weir.kafka.deadletter.OriginalRecords.Gone;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OriginalRecordsTest {

    private static final TopicPartition ID = new TopicPartition("orders", 0);

    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
    private final OriginalRecords originals = new OriginalRecords(consumer, Duration.ofMinutes(2));

    /** Creates a partition with offsets 2 to 7. The record at offset 5 was compacted away. */
    OriginalRecordsTest() {
        consumer.updatePartitions("orders", List.of(new PartitionInfo("orders", 0, Node.noNode(), null, null)));
        consumer.updateBeginningOffsets(Map.of(ID, 2L));
        consumer.updateEndOffsets(Map.of(ID, 8L));
    }

    private void fetchNext(long... offsets) {
        consumer.schedulePollTask(() -> {
            for (long offset : offsets) {
                consumer.addRecord(
                        new ConsumerRecord<>("orders", 0, offset, new byte[0], ("v" + offset).getBytes(UTF_8)));
            }
        });
    }

    private static DeadLetterRecord deadLetter(String topic, int partition, long offset, byte @Nullable [] copy) {
        RecordHeaders headers = new RecordHeaders();
        headers.add("__dlq.errors.topic", topic.getBytes(UTF_8));
        headers.add("__dlq.errors.partition", Integer.toString(partition).getBytes(UTF_8));
        headers.add("__dlq.errors.offset", Long.toString(offset).getBytes(UTF_8));
        return DeadLetterRecord.read(new ConsumerRecord<>(
                "dlq", 0, 1, 1, TimestampType.CREATE_TIME, 0, 0, null, copy, headers, Optional.empty()));
    }

    private String find(long offset) {
        return switch (originals.find(deadLetter("orders", 0, offset, null))) {
            case Found found -> new String(found.deadLetter().restored().value(), UTF_8);
            case Gone gone -> gone.why();
        };
    }

    @Test
    void lettersInOrder_areFoundInOnePass_andOneThatIsMissingIsTold() {
        fetchNext(3, 4, 6, 7);
        assertThat(find(3)).isEqualTo("v3");
        assertThat(find(3)).isEqualTo("v3");
        assertThat(find(5)).contains("orders-0@5", "compaction");
        assertThat(find(6)).isEqualTo("v6");
        assertThat(find(7)).isEqualTo("v7");
    }

    @Test
    void offsetOutsideOfThePartition_andPartitionThatIsNot_areTold() {
        assertThat(find(1)).isEqualTo("orders-0@1: retention has deleted it; the partition begins at 2");
        assertThat(find(8)).contains("orders-0@8", "ends at 8");
        assertThat(originals.find(deadLetter("orders", 7, 3, null)))
                .isEqualTo(new Gone("orders-7@3: there is no partition orders-7 any more"));
        assertThat(originals.find(deadLetter("gone", 0, 3, null)))
                .isEqualTo(new Gone("gone-0@3: there is no partition gone-0 any more"));
    }

    @Test
    void copyThatIsOfAnotherRecord_isTold() {
        fetchNext(3);
        assertThat(originals.find(deadLetter("orders", 0, 3, "x".getBytes(UTF_8))))
                .isInstanceOfSatisfying(
                        Gone.class, gone -> assertThat(gone.why()).contains("another record"));
    }

    @Test
    void brokersThatGiveNothing_areNotWaitedForForever() {
        OriginalRecords impatient = new OriginalRecords(consumer, Duration.ofMillis(1));
        assertThatThrownBy(() -> impatient.find(deadLetter("orders", 0, 3, null)))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("orders-0@3");
    }

    @Test
    void whatIsThere_isFound_howeverLateTheThreadIs() {
        fetchNext(3);
        assertThat(new OriginalRecords(consumer, Duration.ZERO).find(deadLetter("orders", 0, 3, null)))
                .isInstanceOf(Found.class);
    }
}
