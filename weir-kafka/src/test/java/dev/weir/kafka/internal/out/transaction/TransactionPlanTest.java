package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.produce.WriteFailures;
import java.time.Duration;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TransactionPlanTest {

    private static TransactionPlan ofGroup(String group) {
        return TransactionPlan.ofNewRun(group, null, Duration.ofMillis(100), 1, 1, Duration.ofSeconds(30));
    }

    @Test
    void id_ofAnotherRun_tellsItsRun() {
        TransactionPlan mine = ofGroup("orders");
        TransactionPlan other = ofGroup("orders");
        Matcher id = mine.idsOfGroup().matcher(other.transactionalId(1));
        assertThat(id.matches()).isTrue();
        assertThat(id.group(1)).isEqualTo(other.run()).isNotEqualTo(mine.run());
        assertThat(other.clientId("weir")).endsWith("-" + id.group(1));
    }

    // Regression: after the first run of a static member, other members fenced all its later runs.
    @Test
    void ids_ofAStaticMember_areThoseOfItsRunBefore_andOfNobodyElse() {
        TransactionPlan before = ofMember("pod-1");
        TransactionPlan now = ofMember("pod-1");
        assertThat(now.transactionalId(1)).isEqualTo(before.transactionalId(1)).matches(before.idsOfGroup());
        assertThat(now.clientId("weir")).isEqualTo(before.clientId("weir"));
        assertThat(ofMember("pod-2").run()).isNotEqualTo(now.run());
    }

    @Test
    void run_ofAConsumer_isThatOfItsStaticMember() {
        var run = new ExactlyOnceRun<>(
                ProducerSettings.builder().bootstrapServers("h:1").build(),
                null,
                WriteFailures.fail(),
                (group, member) -> {
                    assertThat(group).isEqualTo("orders");
                    return ofMember(member);
                });
        var consumer = ConsumerSettings.builder().bootstrapServers("h:1").groupId("orders");
        assertThat(run.plan(consumer.build()).run())
                .isNotEqualTo(run.plan(consumer.build()).run());
        consumer.property("group.instance.id", "pod-1");
        assertThat(run.plan(consumer.build()).run()).isEqualTo(ofMember("pod-1").run());
    }

    private static TransactionPlan ofMember(@Nullable String member) {
        return TransactionPlan.ofNewRun("orders", member, Duration.ofMillis(100), 1, 1, Duration.ofSeconds(30));
    }

    @Test
    void id_ofAGroupWhoseNameBeginsAlike_isNotOfThisOne() {
        TransactionPlan mine = ofGroup("orders");
        assertThat(ofGroup("orders-eu").transactionalId(0)).doesNotMatch(mine.idsOfGroup());
        assertThat(ofGroup("orders-weir-0").transactionalId(0)).doesNotMatch(mine.idsOfGroup());
        assertThat(ofGroup("a.b").transactionalId(0))
                .doesNotMatch(ofGroup("a+b").idsOfGroup());
    }

    @Test
    void patience_endsAtHalfOfTheTimeout_andBeforeTheTimeoutInAnyCase() {
        assertThat(patience(Duration.ofMillis(100))).isEqualTo(Duration.ofMillis(14_900));
        assertThat(patience(Duration.ofSeconds(20))).isEqualTo(Duration.ofMillis(3_750));
    }

    private static Duration patience(Duration interval) {
        return Duration.ofNanos(TransactionPlan.ofNewRun("orders", null, interval, 1, 1, Duration.ofSeconds(30))
                .patienceNanos());
    }
}
