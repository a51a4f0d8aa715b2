package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.MetadataClient;
import dev.weir.kafka.Position;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the consumer's dump, its health, and the brokers' view of its group. */
class ConsumerDumpTest {

    private static final Duration SOON = Duration.ofMinutes(1);
    private static final Duration STALL = Duration.ofMillis(100);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokerConfig("group.initial.rebalance.delay.ms", "0"));

    private static PartitionDump partition(ConsumerHandle consumer, int number) {
        return consumer.dump().partitions().stream()
                .filter(partition -> partition.partition() == number)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void stuckHandler_isNamedWithItsOffsetAndLagStaysTrueWhilePaused() throws Exception {
        KAFKA.cluster().createTopic("why", 2);
        Records.produce(KAFKA.bootstrapServers(), "why", 0, 5_000);
        CountDownLatch stuck = new CountDownLatch(1);
        var settings = ConsumerLedger.settings(KAFKA.cluster(), "why")
                .maxOutstandingRecords(100)
                .property("max.poll.records", "100")
                .build();
        TopicPartition other = new TopicPartition("why", 1);
        var source = KafkaSource.from(settings, "why").atLeastOnce();
        try (RunningPipeline running = source.mapBlocking(64, RecordOrdering.byPartition(), record -> {
                    if (record.partition() == 0 && record.offset() >= 50) {
                        stuck.await();
                    }
                    return record;
                })
                .to(Sink.ignore())
                .run()) {
            ConsumerHandle consumer = running.handles(ConsumerHandle.class).get(0);
            ConsumerLedger.await(
                    "stuck and the other done",
                    SOON,
                    () -> consumer.dump().partitions().size() == 2
                            && partition(consumer, 0).paused().contains(Paused.WINDOW)
                            && partition(consumer, 1).committed()
                                    == KAFKA.cluster().endOffsets("why").getOrDefault(other, -1L));
            PartitionDump first = partition(consumer, 0);
            assertThat(first.oldest())
                    .isNotNull()
                    .satisfies(oldest -> assertThat(oldest.offset()).isEqualTo(50));
            assertThat(first.inFlight()).isPositive();
            assertThat(consumer.dump().why())
                    .anySatisfy(sentence ->
                            assertThat(sentence).startsWith("why-0: window full, offset 50 unfinished for "));
            assertThat(first.epoch()).isEqualTo(1);
            ConsumerLedger.await("age", SOON, () -> {
                ConsumerDump.Oldest oldest = partition(consumer, 0).oldest();
                return oldest != null && oldest.age().compareTo(Duration.ofMillis(300)) > 0;
            });
            assertThat(partition(consumer, 0).oldest())
                    .isNotNull()
                    .satisfies(oldest -> assertThat(oldest.stage()).isEqualTo("in flight, at work in mapBlocking"))
                    .satisfies(oldest -> assertThat(oldest.keyHash()).isNotNull());
            assertThat(consumer.health()).isEqualTo(ConsumerHealth.of(true, true, true, "", null));
            // On a slow machine, the other partition may have finished a record just now.
            ConsumerLedger.await(
                    "no progress", SOON, () -> !consumer.health(STALL).progressing());
            assertThat(consumer.health(STALL).reason()).contains("why-0@50");
            consumer.pause(List.of(other)).toCompletableFuture().get(20, TimeUnit.SECONDS);
            ConsumerLedger.await(
                    "paused by the user",
                    SOON,
                    () -> partition(consumer, 1).paused().contains(Paused.USER));
            // The partition is not being fetched, so the client cannot know about the new records.
            Records.produce(KAFKA.bootstrapServers(), "why", 5_000, 1_000);
            long end = KAFKA.cluster().endOffsets("why").getOrDefault(new TopicPartition("why", 0), 0L);
            ConsumerLedger.await("true lag", SOON, () -> partition(consumer, 0).lag() == end - 50);
            stuck.countDown();
            consumer.resume().toCompletableFuture().get(20, TimeUnit.SECONDS);
            ConsumerLedger.await("no lag", SOON, () -> partition(consumer, 0).lag() == 0);
        }
    }

    @Test
    void start_withNoBroker_failsInTimeAndNamesTheAddress() {
        var settings = ConsumerSettings.builder()
                .bootstrapServers("localhost:1")
                .groupId("nobody")
                .connectTimeout(Duration.ofSeconds(2))
                .build();
        assertThatThrownBy(() -> KafkaSource.from(settings, "any")
                        .atLeastOnce()
                        .to(Sink.ignore())
                        .run())
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("localhost:1")
                .hasMessageContaining("2 s");
    }

    @Test
    void metadata_ofTopicsOffsetsAndGroups_isAnswered() throws Exception {
        KAFKA.cluster().createTopic("known", 2);
        Records.produce(KAFKA.bootstrapServers(), "known", 0, 1_000);
        var settings = ConsumerLedger.settings(KAFKA.cluster(), "known").build();
        TopicPartition first = new TopicPartition("known", 0);
        TopicPartition second = new TopicPartition("known", 1);
        Map<TopicPartition, Long> ends = KAFKA.cluster().endOffsets("known");
        try (RunningPipeline running = KafkaSource.from(
                        settings,
                        Subscription.topics("known")
                                .until(first, Position.offset(100))
                                .until(second, Position.offset(100)))
                .atLeastOnce()
                .to(Sink.ignore())
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        try (MetadataClient metadata = MetadataClient.of(settings)) {
            assertThat(metadata.topics().toCompletableFuture().get(20, TimeUnit.SECONDS))
                    .contains("known");
            assertThat(metadata.partitions(Subscription.pattern("kno.n"))
                            .toCompletableFuture()
                            .get(20, TimeUnit.SECONDS))
                    .containsExactlyInAnyOrder(first, second);
            assertThat(metadata.offsets(Map.of(first, Position.end(), second, Position.beginning()))
                            .toCompletableFuture()
                            .get(20, TimeUnit.SECONDS))
                    .isEqualTo(Map.of(first, ends.getOrDefault(first, -1L), second, 0L));
            assertThat(metadata.lag("known").toCompletableFuture().get(20, TimeUnit.SECONDS))
                    .containsEntry(first, ends.getOrDefault(first, -1L) - 100);
        }
    }
}
