package dev.weir.checks.integration;

import static dev.weir.checks.integration.FailureTopics.record;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.deadletter.DeadLetterHandle;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the loss of the only broker while dead-letter records are in flight to it. */
class FailureBrokerLossTest {

    private static final int RECORDS = 1500;

    private static boolean isBad(ConsumerRecord<byte[], byte[]> record) {
        return Integer.parseInt(FailureTopics.value(record)) % 2 == 1;
    }

    private static KafkaFlow<byte[], byte[]> flow(KafkaCluster cluster, Subscription subscription) {
        ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.builder()
                .bootstrapServers(cluster.bootstrapServers())
                .groupId("loss")
                .commitInterval(Duration.ofMillis(20))
                .property("max.poll.records", "50")
                // A killed broker may prevent the first run from leaving the group. The second run then waits for this
                // timeout.
                .property("session.timeout.ms", "8000")
                .build();
        return KafkaFlow.from(settings, subscription);
    }

    private static RunningPipeline run(KafkaCluster cluster, Subscription subscription) {
        KafkaFlow<byte[], byte[]> flow = flow(cluster, subscription);
        return flow.forEach(4, RecordOrdering.byKey(), record -> {
                    ConsumerLedger.work(Duration.ofMillis(3));
                    if (isBad(record)) {
                        throw new IllegalStateException("odd");
                    }
                })
                .deadLetter(DeadLetterTopic.of("loss-dead", flow.settings()))
                .run();
    }

    @Test
    @Timeout(180)
    void brokerKilledWhileDeadLettering_nothingIsCommittedBeforeItsLetter_andNothingIsLost() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().forked().start()) {
            cluster.createTopic("loss", 2);
            cluster.createTopic("loss-dead", 1);
            @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
            ProducerRecord<byte[], byte[]>[] records = new ProducerRecord[RECORDS];
            for (int i = 0; i < RECORDS; i++) {
                records[i] = record("loss", "k" + i, Integer.toString(i));
            }
            FailureTopics.produce(cluster, records);
            List<ConsumerRecord<byte[], byte[]>> input = FailureTopics.read(cluster, "loss");

            RunningPipeline first = run(cluster, Subscription.topics("loss"));
            DeadLetterHandle deadLetters = first.handles(DeadLetterHandle.class).getFirst();
            ConsumerLedger.await("letters", Duration.ofMinutes(1), () -> deadLetters.written() > 200);
            // Committed offsets may precede the first bad record. The commit metadata lists later finished records.
            ConsumerLedger.await(
                    "a commit past a bad record",
                    Duration.ofMinutes(1),
                    () -> !badBefore(cluster.committedOffsets("loss"), input).isEmpty());
            cluster.broker(1).kill();
            first.cancel();
            // The run's last commit may succeed, because the broker restarts.
            cluster.broker(1).start();
            var ignored =
                    first.completion().handle((report, failure) -> "ended").join();

            Map<TopicPartition, Long> committed = cluster.committedOffsets("loss");
            assertThat(committed(cluster)).isBetween(1L, RECORDS - 1L);
            List<String> written = values(cluster);
            assertThat(badBefore(committed, input)).isNotEmpty().isSubsetOf(written);

            try (RunningPipeline second =
                    run(cluster, Subscription.topics("loss").untilEnd())) {
                DeadLetterHandle more = second.handles(DeadLetterHandle.class).getFirst();
                ConsumerLedger.await("more dead-letter records", Duration.ofMinutes(1), () -> more.written() > 100);
                cluster.broker(1).kill();
                cluster.broker(1).start();
                assertThat(second.await().drained()).isTrue();
            }
            assertThat(values(cluster).stream().collect(Collectors.toSet()))
                    .containsExactlyInAnyOrderElementsOf(input.stream()
                            .filter(FailureBrokerLossTest::isBad)
                            .map(FailureTopics::value)
                            .toList());
            assertThat(cluster.committedOffsets("loss")).isEqualTo(cluster.endOffsets("loss"));
        }
    }

    /** Returns the values of the bad records before the committed offsets. */
    private static List<String> badBefore(
            Map<TopicPartition, Long> committed, List<ConsumerRecord<byte[], byte[]>> input) {
        return input.stream()
                .filter(FailureBrokerLossTest::isBad)
                .filter(record -> record.offset()
                        < committed.getOrDefault(new TopicPartition(record.topic(), record.partition()), 0L))
                .map(FailureTopics::value)
                .toList();
    }

    private static long committed(KafkaCluster cluster) {
        return cluster.committedOffsets("loss").values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private static List<String> values(KafkaCluster cluster) {
        return FailureTopics.deadLetters(cluster, "loss-dead").stream()
                .map(DeadLetterRecord::record)
                .map(FailureTopics::value)
                .toList();
    }
}
