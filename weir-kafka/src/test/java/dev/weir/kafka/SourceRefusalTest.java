package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Settings that contradict a source are refused by the call that makes the source, and not when it runs. */
class SourceRefusalTest {

    private static final Subscription PRICES = Subscription.topics("prices");

    private static ConsumerSettings.Builder<byte[], byte[]> settings() {
        return ConsumerSettings.builder().bootstrapServers("localhost:9092");
    }

    @Test
    void plain_boundedInAGroup_isRefusedWithTheWaysOut() {
        var inGroup = settings().groupId("shop").build();
        assertThatThrownBy(() -> KafkaSource.plain(inGroup, PRICES.untilEnd()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("group shop")
                .hasMessageContaining("leave group.id out")
                .hasMessageContaining("Subscription.partitions")
                .hasMessageContaining("KafkaSource.atLeastOnce");
    }

    @Test
    void plain_boundedWithoutSharing_isMade() {
        var inGroup = settings().groupId("shop").build();
        var groupless = settings().build();
        assertThat(KafkaSource.plain(groupless, PRICES.untilEnd())).isNotNull();
        assertThat(KafkaSource.plain(
                        inGroup,
                        Subscription.partitions(new TopicPartition("prices", 0)).untilEnd()))
                .isNotNull();
        assertThat(KafkaSource.plain(inGroup, PRICES)).isNotNull();
    }

    @Test
    void sourcesThatCommit_withoutGroup_areRefusedByTheCall() {
        var groupless = settings().build();
        assertThatThrownBy(() -> KafkaSource.atLeastOnce(groupless, PRICES))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("group.id is not set")
                .hasMessageContaining("KafkaSource.plain");
        assertThatThrownBy(() -> KafkaSource.partitioned(groupless, PRICES)).hasMessageContaining("group.id");
        assertThatThrownBy(() -> KafkaSource.atMostOnce(groupless, PRICES, 10)).hasMessageContaining("group.id");
        assertThatThrownBy(() -> KafkaSource.decoded(groupless, PRICES)).hasMessageContaining("group.id");
    }

    @Test
    void decoder_ofTopicsByName_withoutTheLeanPath_isRefused() {
        var byClient = settings().groupId("shop").build();
        for (ThrowingCallable refused : List.<ThrowingCallable>of(
                () -> KafkaSource.atLeastOnce(byClient, view -> "", "prices"),
                () -> KafkaSource.plainViews(byClient, view -> "", "prices"),
                () -> KafkaSource.atMostOnce(byClient, 10, view -> "", "prices"))) {
            assertThatThrownBy(refused)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("fetch=CLIENT", "FetchPath.LEAN");
        }
    }

    @Test
    void dueAt_ofSourcesThatCannotWait_isRefusedByName() {
        var inGroup = settings().groupId("shop").build();
        var lean = settings().groupId("shop").fetch(FetchPath.LEAN).build();
        Subscription later = PRICES.dueAt(record -> null);
        assertThat(KafkaSource.atLeastOnce(inGroup, later)).isNotNull();
        assertThat(KafkaSource.atLeastOnce(lean, later.untilEnd())).isNotNull();
        assertThat(KafkaSource.exactlyOnce(inGroup, later)).isNotNull();
        assertThat(KafkaSource.partitioned(inGroup, later)).isNotNull();
        for (ThrowingCallable refused : List.<ThrowingCallable>of(
                () -> KafkaSource.plain(inGroup, later),
                () -> KafkaSource.atMostOnce(inGroup, later, 10),
                () -> KafkaSource.atLeastOnce(lean, later, view -> ""),
                () -> ReusableConsumer.start(inGroup, later),
                () -> later.priority("prices", 1))) {
            assertThatThrownBy(refused)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("dueAt ");
        }
    }
}
