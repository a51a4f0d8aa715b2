package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests waiting for the first record of each partition. A broker that does not know a producer may refuse its first
 * batch and accept its second one.
 */
class FirstRecordsTest {

    private int partitions = 2;

    private FirstRecords<String> firsts(@Nullable Serializer<String> keys) {
        return begun(new FirstRecords<>(keys));
    }

    private FirstRecords<String> begun(FirstRecords<String> firsts) {
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

    private final CompletableFuture<Void> answer = new CompletableFuture<>();

    @Test
    void topic_isKnownOnceItsFirstRecordIsAnswered() {
        FirstRecords<String> firsts = firsts(new StringSerializer());
        assertThat(firsts.before(to(0))).isNull();
        assertThat(firsts.isKnown("out")).isFalse();
        firsts.answered(to(0));
        assertThat(firsts.isKnown("out")).isTrue();
        assertThat(firsts.before(to(0))).isNull();
    }

    @Test
    void record_behindTheFirstOfItsPartition_waitsUntilThatIsAnswered() {
        FirstRecords<String> firsts = firsts(new StringSerializer());
        firsts.answered(to(0));
        assertThat(firsts.before(to(1))).isNull();
        firsts.sent(answer);
        assertThat(firsts.before(to(0))).isNull();
        assertThat(firsts.before(to(1))).isSameAs(answer);
        assertThat(firsts.before(to(1))).as("waited for").isNull();
    }

    @Test
    void record_behindAFirstThatIsAnswered_doesNotWait() {
        FirstRecords<String> firsts = firsts(new StringSerializer());
        firsts.answered(to(0));
        assertThat(firsts.before(to(1))).isNull();
        firsts.sent(answer);
        answer.complete(null);
        assertThat(firsts.before(to(1))).isNull();
    }

    @Test
    void record_whosePartitionFollowsFromItsKey_isTreatedAlike() {
        FirstRecords<String> firsts = firsts(new StringSerializer());
        partitions = 1000;
        firsts.answered(to(0));
        ProducerRecord<String, String> keyed = new ProducerRecord<>("out", "some key", "v");
        assertThat(firsts.before(keyed)).isNull();
        firsts.sent(answer);
        assertThat(firsts.before(keyed)).isSameAs(answer);
    }

    @Test
    void record_whosePartitionIsNotKnown_doesNotWait() {
        FirstRecords<String> firsts = firsts(null);
        firsts.answered(to(0));
        ProducerRecord<String, String> keyed = new ProducerRecord<>("out", "some key", "v");
        assertThat(firsts.before(keyed)).isNull();
        firsts.sent(answer);
        assertThat(firsts.before(keyed)).isNull();
    }

    @Test
    void record_ofAProducerThatKeepsThatOrderItself_doesNotWait() {
        FirstRecords<String> firsts = begun(new FirstRecords<>(new StringSerializer(), true));
        firsts.answered(to(0));
        assertThat(firsts.before(to(1))).isNull();
        firsts.sent(answer);
        assertThat(firsts.before(to(1))).isNull();
    }

    @Test
    void partitions_ofAProducerThatKeepsThatOrderItself_areNotCountedAgain() {
        FirstRecords<String> firsts = begun(new FirstRecords<>(new StringSerializer(), true));
        assertThat(firsts.refresh(System.nanoTime())).isFalse();
    }

    @Test
    void partitions_thatAreAdded_areSeenAtTheNextCount() {
        FirstRecords<String> firsts = firsts(new StringSerializer());
        partitions = 1;
        firsts.answered(to(0));
        partitions = 2;
        firsts.refresh(System.nanoTime());
        assertThat(firsts.before(to(1))).isNull();
        firsts.sent(answer);
        assertThat(firsts.before(to(1))).isSameAs(answer);
    }
}
