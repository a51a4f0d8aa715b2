package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.RecreatedTopicException;
import dev.weir.kafka.Subscription;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Recreates a topic under a running pipeline, with a longer log, and checks the guarantees page. */
@Timeout(120)
class RecreatedWhileRunningTest {

    private static final Duration SOON = Duration.ofMinutes(1);
    private static final int OLD = 200;
    private static final int NEW = 1_000;
    private static final int NEW_FROM = 10_000;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokerConfig("auto.create.topics.enable", "false"));

    private final Set<Integer> read = ConcurrentHashMap.newKeySet();
    private final Queue<Long> newOffsets = new ConcurrentLinkedQueue<>();

    private RunningPipeline run(ConsumerSettings<byte[], byte[]> settings, String topic) {
        return KafkaSource.from(settings, Subscription.topics(topic))
                .atLeastOnce()
                .to(Sink.forEach(this::note))
                .run();
    }

    private void note(ConsumerRecord<byte[], byte[]> record) {
        int number = Integer.parseInt(new String(record.value(), StandardCharsets.US_ASCII));
        read.add(number);
        if (number >= NEW_FROM) {
            newOffsets.add(record.offset());
        }
    }

    private static ConsumerSettings.Builder<byte[], byte[]> settings(String group, FetchPath path) {
        // With this protocol, the partition stays assigned when the topic is deleted.
        return ConsumerLedger.settings(KAFKA.cluster(), group).fetch(path).property("group.protocol", "classic");
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = "CLIENT")
    void topicRecreated_underFailOnTheClientPath_givesOutOnlyWhatComesAgain(FetchPath path) throws Exception {
        topicRecreated_underFail_givesOutNothingOnLean_andOnTheClientOnlyWhatComesAgain(path);
    }

    @ParameterizedTest
    @EnumSource(names = "LEAN")
    void topicRecreated_underFail_givesOutNothingOnLean_andOnTheClientOnlyWhatComesAgain(FetchPath path)
            throws Exception {
        String topic = "running-" + path;
        KAFKA.cluster().createTopic(topic, 1);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, OLD);
        try (RunningPipeline running = run(settings(topic, path).build(), topic)) {
            ConsumerLedger.await("the former topic is read", SOON, () -> read.size() == OLD);
            ConsumerHandle.of(running).pause().toCompletableFuture().join();
            KAFKA.cluster().deleteTopic(topic);
            KAFKA.cluster().createTopic(topic, 1);
            Records.produce(KAFKA.bootstrapServers(), topic, NEW_FROM, NEW);
            ConsumerHandle.of(running).resume().toCompletableFuture().join();
            assertThatThrownBy(running::await).isInstanceOf(RecreatedTopicException.class);
        }
        if (path == FetchPath.LEAN) {
            assertThat(newOffsets).isEmpty();
        } else {
            assertThat(newOffsets).allSatisfy(offset -> assertThat(offset).isGreaterThanOrEqualTo(OLD));
        }
        newOffsets.clear();
        var settings = settings(topic, path).outOfRange(OutOfRangePolicy.NEAREST);
        try (RunningPipeline again = run(settings.build(), topic)) {
            ConsumerLedger.await("all of the new one is read", SOON, () -> newOffsets.size() == NEW);
            assertThat(List.copyOf(newOffsets)).isSorted().doesNotHaveDuplicates();
            assertThat(again.completion()).isNotDone();
        }
    }
}
