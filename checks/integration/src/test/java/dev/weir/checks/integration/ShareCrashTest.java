package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.DeadLetter;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.ShareSettings.Start;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Members of a share group that die. */
@Timeout(240)
class ShareCrashTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static ShareSettings.Builder<byte[], byte[]> group(String group) {
        return ShareSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(group)
                .startAt(Start.EARLIEST);
    }

    private static void killOne(String name, int lanes) {
        try (PipeProcess member = PipeProcess.startMain(
                "dev.weir.checks.integration.ShareMember",
                128,
                KAFKA.bootstrapServers(),
                name,
                name,
                name + "-dead",
                "1",
                Integer.toString(lanes))) {
            assertThat(member.awaitOut()).isEqualTo("begun");
            member.kill();
        }
    }

    @Test
    void crashesUpToTheDeliveryLimit_loseNothing_copiesStandInTheDeadLetterTopic() throws Exception {
        KAFKA.cluster().createTopic("crashes", 1);
        KAFKA.cluster().createTopic("crashes-dead", 1);
        Records.produce(KAFKA.bootstrapServers(), "crashes", 0, 1);
        for (int crash = 0; crash < 5; crash++) {
            // One lane: a dying process uses up one delivery.
            killOne("crashes", 1);
        }
        ConsumerLedger ledger = new ConsumerLedger(1);
        try (RunningPipeline running = KafkaFlow.shared(
                        group("crashes").untilEnd().deadLetters("crashes-dead").build(), "crashes")
                .forEach(4, Ordering.unordered(), ledger::handled)
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        // The brokers have given it up: nobody handles it any more.
        assertThat(ledger.seen()).isZero();
        assertThat(FailureTopics.letters(KAFKA.cluster(), "crashes-dead"))
                .isNotEmpty()
                .allSatisfy(letter -> {
                    assertThat(letter.header(DeadLetter.REASON)).isEqualTo("PARKED");
                    assertThat(FailureTopics.value(letter.letter())).isEqualTo("0");
                });
    }

    @Test
    void memberKilled_anotherTakesOverWhatItHad() throws Exception {
        KAFKA.cluster().createTopic("takeover", 2);
        KAFKA.cluster().createTopic("takeover-dead", 1);
        Records.produce(KAFKA.bootstrapServers(), "takeover", 0, 200);
        killOne("takeover", 16);
        ConsumerLedger ledger = new ConsumerLedger(200);
        try (RunningPipeline running = KafkaFlow.shared(
                        group("takeover")
                                .untilEnd()
                                .deadLetters("takeover-dead")
                                .build(),
                        "takeover")
                .forEach(8, Ordering.unordered(), ledger::handled)
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(ledger.lost()).isZero();
    }
}
