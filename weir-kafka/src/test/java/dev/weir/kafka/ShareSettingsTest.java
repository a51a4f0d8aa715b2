package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.stream.Ordering;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShareSettingsTest {

    private static ShareSettings.Builder<byte[], byte[]> complete() {
        return ShareSettings.builder().bootstrapServers("localhost:9092").groupId("orders");
    }

    @Test
    void group_missing_isRefused() {
        var builder = ShareSettings.builder().bootstrapServers("localhost:9092");
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("group.id is not set");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "auto.offset.reset",
                "enable.auto.commit",
                "group.instance.id",
                "isolation.level",
                "partition.assignment.strategy",
                "interceptor.classes",
                "session.timeout.ms",
                "heartbeat.interval.ms",
                "group.protocol",
                "group.remote.assignor",
                "max.poll.records",
                "share.acknowledgement.mode",
                "share.acquire.mode"
            })
    void property_thatShareGroupsForbid_isRefusedByNameWithAReason(String name) {
        var builder = complete().property(name, "any");
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(name + " does not go with a share group: ");
    }

    @Test
    void bounds_areToldWithTheValue() {
        assertThatThrownBy(complete().workers(0)::build).hasMessage("workers must be 1 to 100000: workers=0");
        assertThatThrownBy(complete().maxLanes(201)::build).hasMessage("maxLanes must be 1 to 200: maxLanes=201");
    }

    @Test
    void memberName_isOfTheLeanPath_andHasSomeCharacters() {
        assertThat(complete().build().memberName()).isNull();
        var named = complete().memberName("pod-0");
        assertThat(named.build().toBuilder().build().memberName()).isEqualTo("pod-0");
        assertThatThrownBy(complete().fetch(FetchPath.CLIENT).memberName("pod-0")::build)
                .hasMessage("memberName does not go with fetch=CLIENT: Kafka's share consumers draw their own ids;"
                        + " set fetch(FetchPath.LEAN)");
        assertThatThrownBy(named.memberName(" ")::build)
                .hasMessage("memberName must have 1 to 255 characters: memberName= ");
    }

    @Test
    void fetchPath_isTheLeanOne_unlessSaid() {
        assertThat(complete().build().fetch()).isEqualTo(FetchPath.LEAN);
        assertThat(complete().fetch(FetchPath.CLIENT).build().toBuilder()
                        .build()
                        .fetch())
                .isEqualTo(FetchPath.CLIENT);
    }

    @Test
    void parking_isTheDeadLetterTopic_unlessSaid() {
        DeadLetterTopic only = complete().deadLetterTopic("dead").build().parking();
        assertThat(only).isNotNull().extracting(DeadLetterTopic::topic).isEqualTo("dead");
        DeadLetterTopic own = complete().deadLetterTopic("dead").parking("parked").build().toBuilder()
                .build()
                .parking();
        assertThat(own).isNotNull().extracting(DeadLetterTopic::topic).isEqualTo("parked");
        assertThat(complete().build().parking()).isNull();
    }

    @Test
    void secrets_areNotShown() {
        assertThat(complete().property("sasl.jaas.config", "password=x").build().toString())
                .doesNotContain("password=x");
    }

    @Test
    void flow_withTheOrderOfTheInput_isRefused() {
        var flow = KafkaFlow.shared(complete().build(), "orders");
        assertThatThrownBy(() -> flow.forEach(4, Ordering.input(), record -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ordering=input");
    }

    @Test
    void rejectRule_thatCanHaveNoEffect_isRefused() {
        var flow = KafkaFlow.shared(complete().build(), "orders")
                .forEach(4, Ordering.unordered(), record -> {})
                .on(RuntimeException.class, FailureAction.SKIP);
        assertThatThrownBy(() -> flow.reject(IllegalStateException.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("reject(IllegalStateException) can have no effect: on(RuntimeException, SKIP)");
    }
}
