package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class SourceRefusalTest {

    private static final Subscription PRICES = Subscription.topics("prices");

    private static ConsumerSettings.Builder<byte[], byte[]> settings() {
        return ConsumerSettings.builder().bootstrapServers("localhost:9092");
    }

    @Test
    void plain_boundedInAGroup_isRefusedWithTheWaysOut() {
        var inGroup = settings().groupId("shop").build();
        assertThatThrownBy(() -> KafkaSource.from(inGroup, PRICES.untilEnd()).plain())
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
        assertThat(KafkaSource.from(groupless, PRICES.untilEnd()).plain()).isNotNull();
        assertThat(KafkaSource.from(
                                inGroup,
                                Subscription.partitions(new TopicPartition("prices", 0))
                                        .untilEnd())
                        .plain())
                .isNotNull();
        assertThat(KafkaSource.from(inGroup, PRICES).plain()).isNotNull();
    }

    @Test
    void sourcesThatCommit_withoutGroup_areRefusedByTheCall() {
        var groupless = settings().build();
        assertThatThrownBy(() -> KafkaSource.from(groupless, PRICES).atLeastOnce())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("group.id is not set")
                .hasMessageContaining("KafkaSource.plain");
        assertThatThrownBy(() -> KafkaSource.from(groupless, PRICES).partitioned())
                .hasMessageContaining("group.id");
        assertThatThrownBy(() -> KafkaSource.from(groupless, PRICES).atMostOnce(10))
                .hasMessageContaining("group.id");
        assertThatThrownBy(() -> KafkaSource.from(groupless, PRICES).decoded()).hasMessageContaining("group.id");
    }

    @Test
    void decoder_ofTopicsByName_withoutTheLeanPath_isRefused() {
        var byClient = settings().groupId("shop").build();
        for (ThrowingCallable refused : List.<ThrowingCallable>of(
                () -> KafkaSource.from(byClient, "prices").decodedBy(view -> "").atLeastOnce(),
                () -> KafkaSource.from(byClient, "prices").decodedBy(view -> "").plain(),
                () -> KafkaSource.from(byClient, "prices").decodedBy(view -> "").atMostOnce(10))) {
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
        assertThat(KafkaSource.from(inGroup, later).atLeastOnce()).isNotNull();
        assertThat(KafkaSource.from(lean, later.untilEnd()).atLeastOnce()).isNotNull();
        assertThat(KafkaSource.from(inGroup, later).exactlyOnce()).isNotNull();
        assertThat(KafkaSource.from(inGroup, later).partitioned()).isNotNull();
        for (ThrowingCallable refused : List.<ThrowingCallable>of(
                () -> KafkaSource.from(inGroup, later).plain(),
                () -> KafkaSource.from(inGroup, later).atMostOnce(10),
                () -> KafkaSource.from(lean, later).decodedBy(view -> "").atLeastOnce(),
                () -> ReusableConsumer.start(inGroup, later),
                () -> later.priority("prices", 1))) {
            assertThatThrownBy(refused)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("dueAt ");
        }
    }
}
