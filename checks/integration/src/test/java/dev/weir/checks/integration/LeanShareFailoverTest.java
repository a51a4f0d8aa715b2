package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.ShareSettings.Start;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the death of members on the lean path, and the stop of a broker while a member is working. */
@Timeout(300)
class LeanShareFailoverTest {

    private static final Duration SOON = Duration.ofMinutes(2);

    private static ShareSettings.Builder<byte[], byte[]> group(KafkaCluster cluster, String group) {
        return ShareSettings.builder()
                .bootstrapServers(cluster.bootstrapServers())
                .groupId(group)
                .fetch(FetchPath.LEAN)
                .startAt(Start.EARLIEST);
    }

    @Test
    @Tag("long")
    void memberKilled_anotherTakesOverWhatItHad() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().start()) {
            // With two partitions, the group would detect the dead member only after 45 s.
            cluster.createTopic("takeover", 1);
            cluster.createTopic("takeover-dead", 1);
            Records.produce(cluster.bootstrapServers(), "takeover", 0, 200);
            try (PipeProcess member = PipeProcess.startMain(
                    "dev.weir.checks.integration.ShareMember",
                    128,
                    cluster.bootstrapServers(),
                    "takeover",
                    "takeover",
                    "takeover-dead",
                    "1",
                    "1",
                    "LEAN")) {
                assertThat(member.awaitOut()).isEqualTo("begun");
                member.kill();
            }
            ConsumerLedger ledger = new ConsumerLedger(200);
            try (RunningPipeline running = KafkaFlow.shared(
                            group(cluster, "takeover")
                                    .untilEnd()
                                    .deadLetterTopic("takeover-dead")
                                    .build(),
                            "takeover")
                    .forEach(8, Ordering.unordered(), ledger::handled)
                    .run()) {
                assertThat(running.await().drained()).isTrue();
            }
            assertThat(ledger.lost()).isZero();
        }
    }

    /** Without a name, the dead member would keep a partition until its session expires. */
    @Test
    void memberWithAName_killed_takesItsOldPlace() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().start()) {
            cluster.createTopic("named", 2);
            cluster.createTopic("named-dead", 1);
            Records.produce(cluster.bootstrapServers(), "named", 0, 200);
            try (PipeProcess member = PipeProcess.startMain(
                    "dev.weir.checks.integration.ShareMember",
                    128,
                    cluster.bootstrapServers(),
                    "named",
                    "named",
                    "named-dead",
                    "1",
                    "1",
                    "LEAN",
                    "pod-0")) {
                assertThat(member.awaitOut()).isEqualTo("begun");
                member.kill();
            }
            ConsumerLedger ledger = new ConsumerLedger(200);
            try (RunningPipeline running = KafkaFlow.shared(
                            group(cluster, "named")
                                    .memberName("pod-0")
                                    .deadLetterTopic("named-dead")
                                    .build(),
                            "named")
                    .forEach(8, Ordering.unordered(), ledger::handled)
                    .run()) {
                ledger.awaitSeen(200, SOON);
                var members = cluster.admin()
                        .describeShareGroups(List.of("named"))
                        .all()
                        .get()
                        .get("named")
                        .members();
                assertThat(members).hasSize(1);
                assertThat(members.iterator().next().assignment().topicPartitions())
                        .hasSize(2);
                assertThat(running.drain(SOON).drained()).isTrue();
            }
            assertThat(ledger.lost()).isZero();
        }
    }

    @Test
    void leadersOfAStoppedBroker_areFollowed_andNothingIsLost() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().brokers(3).start()) {
            cluster.createTopic("moves", 6);
            Records.produce(cluster.bootstrapServers(), "moves", 0, 2_000);
            ConsumerLedger ledger = new ConsumerLedger(2_000);
            try (RunningPipeline running = KafkaFlow.shared(
                            group(cluster, "moves").build(), "moves")
                    .forEach(8, Ordering.unordered(), record -> {
                        ConsumerLedger.work(Duration.ofMillis(2));
                        ledger.handled(record);
                    })
                    .run()) {
                ledger.awaitSeen(500, SOON);
                cluster.broker(1).stop();
                ledger.awaitSeen(2_000, SOON);
                assertThat(running.drain(SOON).drained()).isTrue();
            }
            assertThat(ledger.lost()).isZero();
        }
    }
}
