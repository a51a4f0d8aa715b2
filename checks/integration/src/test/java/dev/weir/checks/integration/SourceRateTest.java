package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.console.ConsoleServer;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.control.RateControl;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the rate of a source, which code or the console changes while records flow. */
class SourceRateTest {

    private static final int RECORDS = 3_000;
    private static final Duration SOON = Duration.ofSeconds(40);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    @Test
    void rate_holdsRecordsBack_untilItEnds_andNoneIsLostOrDoubled() throws Exception {
        KAFKA.cluster().createTopic("paced", 3);
        Records.produce(KAFKA.bootstrapServers(), "paced", 0, RECORDS);
        ConsumerLedger ledger = new ConsumerLedger(RECORDS);
        CountDownLatch begun = new CountDownLatch(1);
        var source = KafkaSource.from(
                        ConsumerLedger.settings(KAFKA.cluster(), "paced").build(),
                        Subscription.topics("paced").untilEnd())
                .atLeastOnce();
        try (RunningPipeline running = source.mapBlocking(1, Ordering.input(), record -> {
                            boolean ignored = begun.await(SOON.toSeconds(), TimeUnit.SECONDS);
                            ledger.handled(record);
                            return record;
                        })
                        .to(Sink.ignore())
                        .run();
                ConsoleServer console = ConsoleServer.builder().start(running)) {
            RateControl rate = running.handles(RateControl.class).getFirst();
            assertThat(rate.perSecond()).isZero();
            // One batch may already be pulled. After that, one record passes per second.
            rate.perSecond(1);
            begun.countDown();
            await().atMost(SOON).until(() -> rate.waitedNanos() > TimeUnit.SECONDS.toNanos(1));
            assertThat(running.completion()).isNotDone();
            var refused = console.set(Map.of("source.rate", "-3"));
            assertThat(refused.refused())
                    .singleElement()
                    .satisfies(each -> assertThat(each.reason()).contains("at least 1"));
            assertThat(rate.perSecond()).isEqualTo(1);
            assertThat(console.set(Map.of("source.rate", "off")).accepted()).isTrue();
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(ledger.seen()).isEqualTo(RECORDS);
        assertThat(ledger.duplicates()).isZero();
        assertThat(KAFKA.cluster().committedOffsets("paced"))
                .isEqualTo(KAFKA.cluster().endOffsets("paced"));
    }
}
