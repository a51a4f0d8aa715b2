package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.Ordering;
import java.time.Duration;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class HandledFlowTest {

    private static final RetryTopics RETRY =
            RetryTopics.of("orders-retry-1m", Duration.ofMinutes(1)).then("orders-retry-1h", Duration.ofHours(1));

    private static final ConsumerSettings<byte[], byte[]> SETTINGS =
            ConsumerSettings.builder().bootstrapServers("h:1").groupId("g").build();

    private static HandledFlow<byte[], byte[], String> flow(Subscription subscription) {
        return KafkaFlow.from(SETTINGS, subscription)
                .handle(1, Ordering.input(), record -> "done")
                .deadLetter("dead");
    }

    // Regression: a record that always failed circulated through the retry topics forever.
    @Test
    void retryTopic_thatTheSubscriptionReadsToo_isRefused() {
        assertThatThrownBy(() -> flow(Subscription.pattern("orders.*")).retryTopics(RETRY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("orders-retry-1m")
                .hasMessageContaining("topics matching orders.*");
        assertThatThrownBy(() ->
                        flow(Subscription.topics("orders", "orders-retry-1h")).retryTopics(RETRY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("orders-retry-1h");
        assertThat(flow(Subscription.pattern("orders")).retryTopics(RETRY).pipeline())
                .isNotNull();
    }

    /** Regression: the flow wrote each of its dead-letter records to the dead-letter topic again, forever. */
    @Test
    void deadLetterTopic_thatTheSubscriptionReadsToo_isRefused() {
        assertThatThrownBy(() -> flow(Subscription.pattern("orders|de.*")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("dead-letter topic dead")
                .hasMessageContaining("topics matching orders|de.*");
        assertThatThrownBy(() -> flow(Subscription.topics("orders", "dead")))
                .hasMessageContaining("dead-letter topic dead");
        var writes = WriteFailures.deadLetter(DeadLetterTopic.of("orders", SETTINGS));
        assertThatThrownBy(() -> flow(Subscription.topics("orders"))
                        .produceTo(
                                SETTINGS.producerSettings(), done -> new ProducerRecord<>("out", new byte[0]), writes))
                .hasMessageContaining("dead-letter topic orders is read");
        assertThatThrownBy(() -> KafkaSource.from(SETTINGS, Subscription.topics("orders"))
                        .exactlyOnce()
                        .onFailure(writes))
                .hasMessageContaining("dead-letter topic orders is read");
    }

    @Test
    void deadLetterTopic_thatIsReadToItsEnd_orOfAnotherCluster_isNotRefused() {
        assertThat(flow(Subscription.topics("dead").untilEnd()).pipeline()).isNotNull();
        var elsewhere = SETTINGS.toBuilder().bootstrapServers("elsewhere:9092").build();
        assertThat(flow(Subscription.topics("orders"))
                        .deadLetter(DeadLetterTopic.of("orders", elsewhere))
                        .pipeline())
                .isNotNull();
    }

    @Test
    void deadLetterTopic_ofAShareGroup_thatItReadsToo_isRefused() {
        var shared = ShareSettings.builder()
                .bootstrapServers("h:1")
                .groupId("g")
                .deadLetterTopic("dead")
                .parking("parked");
        assertThatThrownBy(() -> KafkaSource.shared(shared.build(), "orders", "parked"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("dead-letter topic parked");
        assertThatThrownBy(() -> SharedFlow.from(shared.build(), "orders", "dead")
                        .handle(1, Ordering.unordered(), record -> "done")
                        .pipeline())
                .hasMessageContaining("dead-letter topic dead");
        assertThatThrownBy(() -> SharedFlow.from(shared.build(), "orders")
                        .handle(1, Ordering.unordered(), record -> "done")
                        .deadLetter("orders"))
                .hasMessageContaining("dead-letter topic orders");
    }

    // Regression: no offset of the named partitions was ever committed.
    @Test
    void retryTopics_ofPartitionsThatAreNamed_areRefused() {
        var partitions = Subscription.partitions(new TopicPartition("orders", 0));
        assertThatThrownBy(() -> flow(partitions).retryTopics(RETRY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("orders-0");
    }
}
