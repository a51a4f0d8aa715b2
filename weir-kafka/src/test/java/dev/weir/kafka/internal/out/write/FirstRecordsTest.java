package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.SerializationException;
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

    /** Thrown by a request for a topic's partitions. */
    private @Nullable RuntimeException unknown;

    private int counts;

    private final @Nullable Node[] leaders = {new Node(1, "h", 1), new Node(2, "h", 2), null};

    private FirstRecords<String> firsts(@Nullable Serializer<String> keys) {
        return begun(new FirstRecords<>(keys));
    }

    private FirstRecords<String> begun(FirstRecords<String> firsts) {
        firsts.begin(new MockProducer<>(false, null, new StringSerializer(), new StringSerializer()) {
            @Override
            public List<PartitionInfo> partitionsFor(String topic) {
                counts++;
                if (unknown != null) {
                    throw unknown;
                }
                // Broker 1 leads the first two partitions, broker 2 the next two; others have no leader.
                return IntStream.range(0, partitions)
                        .mapToObj(n -> new PartitionInfo(topic, n, leaders[Math.min(n / 2, 2)], null, null))
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

    @Test
    void records_behindTheFirstsOfAllPartitions_areNotChecked() {
        FirstRecords<String> firsts = firsts(new StringSerializer());
        firsts.answered(to(0));
        assertThat(firsts.before(to(1))).isNull();
        firsts.sent(answer);
        assertThat(firsts.before(to(1))).isSameAs(answer);
        for (int partition = 0; partition < 2; partition++) {
            assertThat(firsts.before(to(partition))).isNull();
            firsts.sent(new CompletableFuture<>());
            assertThat(firsts.before(to(partition))).isNull();
        }
    }

    @Test
    void firstsOfSeveralTopics_areToldApart() {
        FirstRecords<String> firsts = firsts(new StringSerializer());
        ProducerRecord<String, String> elsewhere = new ProducerRecord<>("elsewhere", 1, "k", "v");
        firsts.answered(to(0));
        firsts.answered(new ProducerRecord<>("elsewhere", 0, "k", "v"));
        assertThat(firsts.before(to(1))).isNull();
        firsts.sent(answer);
        assertThat(firsts.before(elsewhere)).isNull();
        CompletableFuture<Void> ofElsewhere = new CompletableFuture<>();
        firsts.sent(ofElsewhere);
        assertThat(firsts.before(to(1))).isSameAs(answer);
        assertThat(firsts.before(elsewhere)).isSameAs(ofElsewhere);
    }

    /** The brokers do not know the new producer. */
    @Test
    void anotherProducer_startsOver() {
        FirstRecords<String> firsts = firsts(new StringSerializer());
        firsts.answered(to(0));
        assertThat(firsts.before(to(1))).isNull();
        firsts.sent(answer);
        begun(firsts);
        assertThat(firsts.isKnown("out")).isFalse();
        assertThat(firsts.partitionsByBroker()).isEmpty();
        assertThat(firsts.before(to(1))).isNull();
        firsts.answered(to(0));
        assertThat(firsts.before(to(1))).as("not sent by this producer").isNull();
    }

    @Test
    void partitions_areCountedByLeader_andOnceASecond() {
        FirstRecords<String> firsts = firsts(new StringSerializer());
        partitions = 3;
        firsts.answered(to(0));
        firsts.answered(new ProducerRecord<>("elsewhere", 0, "k", "v"));
        assertThat(firsts.partitionsByBroker()).containsExactlyInAnyOrder(4, 2);
        partitions = 5;
        long now = System.nanoTime();
        assertThat(firsts.refresh(now)).as("of a new producer").isTrue();
        assertThat(firsts.partitionsByBroker()).containsExactlyInAnyOrder(4, 4, 2);
        int before = counts;
        assertThat(firsts.refresh(now + TimeUnit.SECONDS.toNanos(1))).isFalse();
        assertThat(counts).isEqualTo(before);
        assertThat(firsts.refresh(now + TimeUnit.SECONDS.toNanos(1) + 1)).isTrue();
        assertThat(counts).isEqualTo(before + 2);
    }

    @Test
    void partitions_thatCannotBeCounted_stayAsTheyWere() {
        FirstRecords<String> firsts = firsts(new StringSerializer());
        firsts.answered(to(0));
        unknown = new KafkaException("planted");
        assertThat(firsts.refresh(System.nanoTime())).isTrue();
        assertThat(firsts.partitionsByBroker()).containsExactly(2);
        assertThat(firsts.before(to(1))).isNull();
        firsts.sent(answer);
        assertThat(firsts.before(to(1))).isSameAs(answer);
    }

    @Test
    void interruptWhileCounting_isPassedOn() {
        FirstRecords<String> firsts = firsts(new StringSerializer());
        unknown = new InterruptException("planted");
        assertThatThrownBy(() -> firsts.answered(to(0))).isSameAs(unknown);
        assertThat(Thread.interrupted()).as("set by the exception").isTrue();
    }

    /** The client reports the exception when the record is sent. */
    @Test
    void record_whoseKeyCannotBeSerialized_orHasNone_doesNotWait() {
        FirstRecords<String> firsts = firsts((topic, key) -> {
            if (key.equals("bad")) {
                throw new SerializationException("planted");
            }
            return null;
        });
        firsts.answered(to(0));
        List<ProducerRecord<String, String>> records = List.of(
                new ProducerRecord<>("out", "bad", "v"),
                new ProducerRecord<>("out", "none", "v"),
                new ProducerRecord<>("out", "v"));
        for (ProducerRecord<String, String> record : records) {
            assertThat(firsts.before(record)).isNull();
            firsts.sent(answer);
            assertThat(firsts.before(record)).isNull();
        }
    }

    /** No partition of the key is known, so its records need not wait for one. */
    @Test
    void record_ofATopicWhosePartitionsAreNotKnown_doesNotWait() {
        FirstRecords<String> firsts = firsts(new StringSerializer());
        unknown = new IllegalStateException("planted");
        ProducerRecord<String, String> keyed = new ProducerRecord<>("out", "some key", "v");
        firsts.answered(keyed);
        assertThat(firsts.isKnown("out")).isTrue();
        assertThat(firsts.before(keyed)).isNull();
        firsts.sent(answer);
        assertThat(firsts.before(keyed)).isNull();
    }
}
