package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.ShareSettings.Start;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests members of a share group that die. */
@Timeout(240)
class ShareCrashTest {

    /** Less than the brokers' default of 5, because each delivery needs a process. */
    private static final int DELIVERY_LIMIT = 3;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("group.share.delivery.count.limit", Integer.toString(DELIVERY_LIMIT))
            .brokerConfig("group.share.min.session.timeout.ms", "1000")
            .brokerConfig("group.share.session.timeout.ms", "5000")
            .brokerConfig("group.share.min.heartbeat.interval.ms", "300")
            .brokerConfig("group.share.heartbeat.interval.ms", "300"));

    private static ShareSettings.Builder<byte[], byte[]> group(String group, FetchPath path) {
        return ShareSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(group)
                .fetch(path)
                .startAt(Start.EARLIEST);
    }

    private static void killOne(String name, int lanes, FetchPath path) {
        try (PipeProcess member = PipeProcess.startMain(
                "dev.weir.checks.integration.ShareMember",
                128,
                KAFKA.bootstrapServers(),
                name,
                name,
                name + "-dead",
                "1",
                Integer.toString(lanes),
                path.name())) {
            assertThat(member.awaitOut()).isEqualTo("begun");
            member.kill();
        }
    }

    private static ConsumerLedger readToTheEnd(String name, FetchPath path, int records) throws Exception {
        ConsumerLedger ledger = new ConsumerLedger(records);
        try (RunningPipeline running = KafkaFlow.shared(
                        group(name, path)
                                .untilEnd()
                                .deadLetterTopic(name + "-dead")
                                .build(),
                        name)
                .forEach(8, Ordering.unordered(), ledger::handled)
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        return ledger;
    }

    @ParameterizedTest
    @EnumSource(names = "LEAN")
    @Tag("long")
    void crashesUpToTheDeliveryLimit_onTheLeanPath_loseNothing(FetchPath path) throws Exception {
        crashesUpToTheDeliveryLimit_loseNothing_copiesStandInTheDeadLetterTopic(path);
    }

    @ParameterizedTest
    @EnumSource(names = "CLIENT")
    void crashesUpToTheDeliveryLimit_loseNothing_copiesStandInTheDeadLetterTopic(FetchPath path) throws Exception {
        String name = "crashes-" + path;
        KAFKA.cluster().createTopic(name, 1);
        KAFKA.cluster().createTopic(name + "-dead", 1);
        Records.produce(KAFKA.bootstrapServers(), name, 0, 1);
        for (int crash = 0; crash < DELIVERY_LIMIT; crash++) {
            // With one share consumer, each killed process uses up one delivery.
            killOne(name, 1, path);
        }
        ConsumerLedger ledger = readToTheEnd(name, path, 1);
        // The brokers have archived the record, so nobody handles it.
        assertThat(ledger.seen()).isZero();
        assertThat(FailureTopics.deadLetters(KAFKA.cluster(), name + "-dead"))
                .isNotEmpty()
                .allSatisfy(deadLetter -> {
                    assertThat(deadLetter.header(DeadLetterHeaders.REASON)).isEqualTo("PARKED");
                    assertThat(FailureTopics.value(deadLetter.record())).isEqualTo("0");
                });
    }

    @ParameterizedTest
    @EnumSource(names = "CLIENT")
    @Tag("long")
    void memberKilled_onTheClientPath_anotherTakesOverWhatItHad(FetchPath path) throws Exception {
        memberKilled_anotherTakesOverWhatItHad(path);
    }

    @ParameterizedTest
    @EnumSource(names = "LEAN")
    void memberKilled_anotherTakesOverWhatItHad(FetchPath path) throws Exception {
        String name = "takeover-" + path;
        KAFKA.cluster().createTopic(name, 2);
        KAFKA.cluster().createTopic(name + "-dead", 1);
        Records.produce(KAFKA.bootstrapServers(), name, 0, 200);
        killOne(name, 16, path);
        assertThat(readToTheEnd(name, path, 200).lost()).isZero();
    }
}
