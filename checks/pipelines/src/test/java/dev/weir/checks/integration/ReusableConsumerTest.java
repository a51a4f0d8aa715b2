package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.RestartingPipeline;
import dev.weir.kafka.ReusableConsumer;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Backoff;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Restart;
import dev.weir.stream.RestartSettings;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a consumer that outlives its pipelines. */
class ReusableConsumerTest {

    private static final Duration SOON = Duration.ofMinutes(1);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("group.initial.rebalance.delay.ms", "0")
            .brokerConfig("group.consumer.min.heartbeat.interval.ms", "300")
            .brokerConfig("group.consumer.heartbeat.interval.ms", "300"));

    private static ConsumerSettings<byte[], byte[]> settings(String group, String protocol) {
        return ConsumerLedger.settings(KAFKA.cluster(), group)
                .property("group.protocol", protocol)
                .build();
    }

    private static void fill(String topic, int partitions, int from, int records) {
        if (from == 0) {
            KAFKA.cluster().createTopic(topic, partitions);
        }
        Records.produce(KAFKA.bootstrapServers(), topic, from, records);
    }

    private static void awaitCommitted(String group, String topic) {
        ConsumerLedger.await(
                "committed " + topic,
                SOON,
                () -> KAFKA.cluster()
                        .committedOffsets(group)
                        .entrySet()
                        .containsAll(KAFKA.cluster().endOffsets(topic).entrySet()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void pipelines_onOneConsumer_readTheirTopicsWithoutDelayingEachOther(String protocol) throws Exception {
        String left = "left-" + protocol;
        String right = "right-" + protocol;
        fill(left, 2, 0, 5_000);
        fill(right, 2, 0, 5_000);
        ConsumerLedger lefts = new ConsumerLedger(5_000);
        ConsumerLedger rights = new ConsumerLedger(5_000);
        CountDownLatch stuck = new CountDownLatch(1);
        try (var consumer = ReusableConsumer.start(settings(left, protocol), Subscription.topics(left, right))) {
            RunningPipeline first = consumer.records(left)
                    .to(Sink.forEachBlocking(1, record -> {
                        stuck.await();
                        lefts.handled(record);
                    }))
                    .run();
            try (RunningPipeline second =
                    consumer.records().to(Sink.forEach(rights::handled)).run()) {
                rights.awaitSeen(5_000, SOON);
                awaitCommitted(left, right);
                assertThat(lefts.seen()).isZero();
                assertThatThrownBy(
                                () -> consumer.records(left).to(Sink.ignore()).run())
                        .hasMessageContaining("another pipeline reads");
                assertThat(second.drain(SOON).leftUndone()).isEmpty();
            }
            stuck.countDown();
            lefts.awaitSeen(5_000, SOON);
            assertThat(first.drain(SOON).leftUndone()).isEmpty();
            assertThat(consumer.handle().snapshot().rebalances()).isZero();
        }
        assertThat(lefts.duplicates()).isZero();
        assertThat(rights.duplicates()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void pipeline_thatFailsAndIsRunAgain_losesNothingAndMovesNoPartition(String protocol) throws Exception {
        String topic = "again-" + protocol;
        fill(topic, 3, 0, 10_000);
        ConsumerLedger ledger = new ConsumerLedger(10_000);
        AtomicInteger failures = new AtomicInteger();
        try (var consumer = ReusableConsumer.start(settings(topic, protocol), Subscription.topics(topic))) {
            Pipeline pipeline = consumer.records()
                    .mapBlocking(8, RecordOrdering.byPartition(), record -> {
                        // Only records of one partition fail, because two simultaneous failures end only one run.
                        if (record.partition() == 0 && record.offset() == 700 && failures.getAndIncrement() < 5) {
                            throw new IllegalStateException("away");
                        }
                        ledger.handled(record);
                        return record;
                    })
                    .to(Sink.ignore());
            try (RestartingPipeline running = RestartingPipeline.run(
                    pipeline, RestartSettings.of(Backoff.between(Duration.ofMillis(10), Duration.ofMillis(50))))) {
                ledger.awaitSeen(10_000, SOON);
                awaitCommitted(topic, topic);
                assertThat(running.restarts()).isEqualTo(5);
            }
            assertThat(consumer.handle().snapshot().rebalances()).isZero();
            assertThat(consumer.handle().snapshot().partitions()).hasSize(3);
        }
        assertThat(ledger.lost()).isZero();
    }

    @Test
    void section_thatFails_goesOnAtTheFirstUnfinishedAndSkipsWhatWasFinishedBehindIt() throws Exception {
        fill("section", 1, 0, 100);
        ConsumerLedger ledger = new ConsumerLedger(100);
        AtomicInteger failures = new AtomicInteger();
        CountDownLatch others = new CountDownLatch(99);
        try (var consumer = ReusableConsumer.start(settings("section", "classic"), Subscription.topics("section"))) {
            try (RunningPipeline running = Restart.source(
                            RestartSettings.of(Backoff.between(Duration.ofMillis(10), Duration.ofMillis(50))),
                            () -> consumer.records().mapBlocking(200, dev.weir.stream.Ordering.unordered(), record -> {
                                if (record.offset() == 40 && failures.getAndIncrement() == 0) {
                                    others.await();
                                    awaitCommitted("section", 40);
                                    throw new IllegalStateException("once");
                                }
                                ledger.handled(record);
                                others.countDown();
                                return record;
                            }))
                    .to(Sink.ignore())
                    .run()) {
                ledger.awaitSeen(100, SOON);
                awaitCommitted("section", 100);
                assertThat(running.completion()).isNotDone();
            }
        }
        assertThat(failures).hasValue(2);
        assertThat(ledger.duplicates()).isZero();
    }

    private static void awaitCommitted(String topic, long offset) {
        ConsumerLedger.await(
                "commit of " + offset,
                SOON,
                () -> KAFKA.cluster().committedOffsets(topic).getOrDefault(new TopicPartition(topic, 0), -1L)
                        == offset);
    }

    @Test
    void consumer_thatIsClosed_endsItsPipelinesAndRefusesOthers() throws Exception {
        fill("closing", 1, 0, 10);
        ConsumerLedger ledger = new ConsumerLedger(10);
        var consumer = ReusableConsumer.start(settings("closing", "classic"), Subscription.topics("closing"));
        RunningPipeline running =
                consumer.records().to(Sink.forEach(ledger::handled)).run();
        ledger.awaitSeen(10, SOON);
        consumer.close();
        running.await();
        assertThat(KAFKA.cluster().committedOffsets("closing")).containsValue(10L);
        assertThatThrownBy(() -> consumer.records().to(Sink.ignore()).run()).hasMessageContaining("closed");
    }
}
