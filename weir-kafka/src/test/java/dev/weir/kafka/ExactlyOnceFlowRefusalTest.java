package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.produce.WriteFailures;
import java.time.Duration;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;

class ExactlyOnceFlowRefusalTest {

    private static ConsumerSettings.Builder<byte[], byte[]> consumer() {
        return ConsumerSettings.builder().bootstrapServers("h:1").groupId("g");
    }

    private static ProducerSettings.Builder<byte[], byte[]> producer() {
        return ProducerSettings.builder().bootstrapServers("h:1");
    }

    private static void produce(ExactlyOnceFlow<byte[], byte[]> flow, ProducerSettings<byte[], byte[]> settings) {
        var ignored = flow.produceTo(
                settings, records -> records.map(record -> new ProducerRecord<>("out", record.key(), record.value())));
    }

    @Test
    void givenPartitions_areRefused() {
        Subscription one = Subscription.partitions(new TopicPartition("t", 0));
        assertThatThrownBy(() -> KafkaSource.from(consumer().build(), one).exactlyOnce())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a group that assigns the partitions");
    }

    @Test
    void settingsWithoutGroup_areRefused() {
        ConsumerSettings<byte[], byte[]> groupless =
                ConsumerSettings.builder().bootstrapServers("h:1").build();
        assertThatThrownBy(() -> KafkaSource.from(groupless, "t").exactlyOnce())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("group.id is not set");
    }

    @Test
    void commitsWithoutMetadata_areRefused() {
        ConsumerSettings<byte[], byte[]> without =
                consumer().commitMetadataChars(0).build();
        assertThatThrownBy(() -> KafkaSource.from(without, "t").exactlyOnce())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("commitMetadataChars=0");
    }

    @Test
    void limitsOutOfBounds_areRefused() {
        ExactlyOnceFlow<byte[], byte[]> flow =
                KafkaSource.from(consumer().build(), "t").exactlyOnce();
        assertThatThrownBy(() -> flow.commitInterval(Duration.ZERO)).hasMessageContaining("commitInterval=PT0S");
        assertThatThrownBy(() -> flow.commitRecords(0)).hasMessageContaining("commitRecords=0");
        assertThatThrownBy(() -> flow.commitBytes(0)).hasMessageContaining("commitBytes=0");
    }

    /** Regression: the exception did not name the setting, only the text {@code For input string: "1 min"}. */
    @Test
    void timeoutsThatAreNoNumber_areRefusedByName() {
        ProducerSettings<byte[], byte[]> producer =
                producer().property("transaction.timeout.ms", "1 min").build();
        ExactlyOnceFlow<byte[], byte[]> flow =
                KafkaSource.from(consumer().build(), "t").exactlyOnce();
        assertThatThrownBy(() -> produce(flow, producer))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("1 min for configuration transaction.timeout.ms");
        ConsumerSettings<byte[], byte[]> consumer =
                consumer().property("default.api.timeout.ms", "1 min").build();
        assertThatThrownBy(() -> MetadataClient.of(consumer))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("1 min for configuration default.api.timeout.ms");
    }

    @Test
    void leanProducer_isRefusedWithTheWayOut() {
        ProducerSettings<byte[], byte[]> lean =
                producer().produce(ProducePath.LEAN).build();
        ExactlyOnceFlow<byte[], byte[]> flow =
                KafkaSource.from(consumer().build(), "t").exactlyOnce();
        assertThatThrownBy(() -> produce(flow, lean))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("produce=LEAN")
                .hasMessageContaining("ProducePath.CLIENT");
    }

    @Test
    void intervalBeyondTheTransactionTimeout_isRefused() {
        ExactlyOnceFlow<byte[], byte[]> flow =
                KafkaSource.from(consumer().build(), "t").exactlyOnce();
        assertThatThrownBy(() -> produce(
                        flow.commitInterval(Duration.ofSeconds(30)), producer().build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("transaction.timeout.ms=30000");
        produce(
                flow.commitInterval(Duration.ofSeconds(30)),
                producer().property("transaction.timeout.ms", "60000").build());
    }

    @Test
    void lettersForOtherBrokers_areRefused() {
        DeadLetterTopic elsewhere = DeadLetterTopic.of(
                "dead", ProducerSettings.builder().bootstrapServers("h:2").build());
        ExactlyOnceFlow<byte[], byte[]> flow =
                KafkaSource.from(consumer().build(), "t").exactlyOnce().onFailure(WriteFailures.deadLetter(elsewhere));
        assertThatThrownBy(() -> produce(flow, producer().build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bootstrap.servers=h:2 of the dead-letter topic must be h:1");
    }

    @Test
    void producerWithoutIdempotence_isRefused() {
        ProducerSettings<byte[], byte[]> without = producer()
                .property("enable.idempotence", "false")
                .property("max.in.flight.requests.per.connection", "1")
                .build();
        assertThatThrownBy(
                        () -> produce(KafkaSource.from(consumer().build(), "t").exactlyOnce(), without))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("enable.idempotence=false");
    }
}
