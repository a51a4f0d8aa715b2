package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Ordering;
import java.time.Duration;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class HandledFlowTest {

    private static final RetryTopics RETRY =
            RetryTopics.of("orders-retry-1m", Duration.ofMinutes(1)).then("orders-retry-1h", Duration.ofHours(1));

    private static HandledFlow<byte[], byte[], String> flow(Subscription subscription) {
        var settings =
                ConsumerSettings.builder().bootstrapServers("h:1").groupId("g").build();
        return KafkaFlow.from(settings, subscription)
                .handle(1, Ordering.input(), record -> "done")
                .deadLetter("orders-dead");
    }

    // The flow read its retry topics twice: once when the records were due, and once at once. What was read at once
    // began
    // with the first retry topic again, so a record that always fails went round for ever.
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

    // The consumers of the retry topics join the group, and a group with members refuses the commits of a consumer that
    // has not joined it: nothing of the partitions was ever committed.
    @Test
    void retryTopics_ofPartitionsThatAreNamed_areRefused() {
        var partitions = Subscription.partitions(new TopicPartition("orders", 0));
        assertThatThrownBy(() -> flow(partitions).retryTopics(RETRY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("orders-0");
    }
}
