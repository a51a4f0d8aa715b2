package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.stream.DrainReport;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaClusterExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Replaces three members one after the other under load, with each protocol. */
class RebalanceRollingRestartTest {

    private static final int RECORDS = 100_000;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(GroupLoad.quickGroups());

    @ParameterizedTest
    @EnumSource(names = "COOPERATIVE")
    void rollingRestart_underLoad_losesAndRepeatsNothing(GroupLoad.Protocol protocol) throws Exception {
        String topic = "restart-" + protocol;
        KAFKA.cluster().createTopic(topic, 6);
        ConsumerLedger ledger = new ConsumerLedger(RECORDS);
        var settings = GroupLoad.settings(KAFKA.cluster(), protocol, topic);
        List<RunningPipeline> members = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                members.add(GroupLoad.member(settings, topic, ledger));
            }
            CompletableFuture<Void> load = GroupLoad.produce(KAFKA.bootstrapServers(), topic, RECORDS);
            for (int i = 0; i < 3; i++) {
                ledger.awaitSeen((i + 1) * RECORDS / 6, Duration.ofSeconds(40));
                DrainReport report = members.get(i).drain(Duration.ofSeconds(20));
                assertThat(report.leftUndone()).isEmpty();
                members.set(i, GroupLoad.member(settings, topic, ledger));
            }
            load.join();
            ledger.awaitSeen(RECORDS, Duration.ofSeconds(40));
            assertThat(members).allMatch(member -> !member.completion().isDone());
        } finally {
            members.forEach(RunningPipeline::close);
        }
        assertThat(ledger.lost()).as("lost").isZero();
        assertThat(ledger.duplicates()).as("duplicated").isZero();
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
        assertThat(members.get(0)
                        .handles(ConsumerHandle.class)
                        .get(0)
                        .snapshot()
                        .failedCommits())
                // Commits are retried with growing pauses during a rebalance. Without pauses, there would be hundreds
                // of attempts.
                .isLessThan(20);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"EAGER", "CONSUMER"})
    void rollingRestart_onOtherProtocols_losesAndRepeatsNothing(GroupLoad.Protocol protocol) throws Exception {
        rollingRestart_underLoad_losesAndRepeatsNothing(protocol);
    }
}
