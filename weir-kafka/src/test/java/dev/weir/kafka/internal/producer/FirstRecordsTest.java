package dev.weir.kafka.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A broker that knows nothing of a producer takes its second batch behind a first one that it has refused. */
class FirstRecordsTest {

    private int partitions = 2;

    private FirstRecords<String> firsts(@Nullable Serializer<String> keys) {
        FirstRecords<String> firsts = new FirstRecords<>(keys);
        firsts.begin(new MockProducer<>(false, null, new StringSerializer(), new StringSerializer()) {
            @Override
            public List<PartitionInfo> partitionsFor(String topic) {
                return IntStream.range(0, partitions)
                        .mapToObj(n -> new PartitionInfo(topic, n, null, null, null))
                        .toList();
            }
        });
        return firsts;
    }

    private static ProducerRecord<String, String> to(int partition) {
        return new ProducerRecord<>("out", partition, "k", "v");
    }

    @Test
    void record_thatIsTheFirstOfItsTopic_isWaitedFor() {
        FirstRecords<String> firsts = firsts(new StringSerializer());
        assertThat(firsts.mustWaitAfter(to(0))).isTrue();
        firsts.answered(to(0));
        assertThat(firsts.mustWaitAfter(to(1))).isFalse();
        assertThat(firsts.isKnown("out")).isTrue();
    }

    @Test
    void record_behindTheFirstOfItsPartition_waitsUntilThatIsAnswered() {
        FirstRecords<String> firsts = firsts(new StringSerializer());
        firsts.answered(to(0));
        assertThat(firsts.mustWaitBefore(to(0))).isFalse();
        assertThat(firsts.mustWaitBefore(to(1))).isFalse();
        assertThat(firsts.mustWaitBefore(to(0))).isFalse();
        assertThat(firsts.mustWaitBefore(to(1))).isTrue();
        firsts.answered();
        assertThat(firsts.mustWaitBefore(to(1))).isFalse();
    }

    @Test
    void record_whosePartitionFollowsFromItsKey_isTreatedAlike() {
        FirstRecords<String> firsts = firsts(new StringSerializer());
        partitions = 1000;
        firsts.answered(to(0));
        ProducerRecord<String, String> keyed = new ProducerRecord<>("out", "some key", "v");
        assertThat(firsts.mustWaitBefore(keyed)).isFalse();
        assertThat(firsts.mustWaitBefore(keyed)).isTrue();
    }

    @Test
    void record_whosePartitionIsNotKnown_doesNotWait() {
        FirstRecords<String> firsts = firsts(null);
        firsts.answered(to(0));
        ProducerRecord<String, String> keyed = new ProducerRecord<>("out", "some key", "v");
        assertThat(firsts.mustWaitBefore(keyed)).isFalse();
        assertThat(firsts.mustWaitBefore(keyed)).isFalse();
    }

    @Test
    void partitions_thatAreAdded_areSeenAtTheNextCount() {
        FirstRecords<String> firsts = firsts(new StringSerializer());
        partitions = 1;
        firsts.answered(to(0));
        partitions = 2;
        firsts.refresh(System.nanoTime());
        assertThat(firsts.mustWaitBefore(to(1))).isFalse();
        assertThat(firsts.mustWaitBefore(to(1))).isTrue();
    }
}
