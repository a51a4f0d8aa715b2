package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.StartAt;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests a lean consumer that reads from the replica in its own rack. Regression: after the replica died, the consumer
 * read nothing for up to five minutes.
 */
class LeanFollowerTest {

    private static final int ROUND = 1_000;
    private static final int LEADER = 1;
    private static final int NEAR = 2;

    private final List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
    private int produced;

    @Test
    @Tag("long")
    @Timeout(150)
    void replicaInTheRack_isReadFrom_andTheLeaderWhileItIsDead() {
        try (KafkaCluster cluster =
                KafkaCluster.builder().brokers(3).forked().racks("a", "b", "c").start()) {
            cluster.createTopic("near", Map.of(0, List.of(LEADER, NEAR, 3)));
            LeanSettings.Builder settings = LeanSettings.builder()
                    .bootstrapServers(cluster.bootstrapServers())
                    .requestTimeout(Duration.ofSeconds(3));
            try (LeanConsumer elsewhere = LeanConsumer.open(settings.build());
                    LeanConsumer consumer = LeanConsumer.open(settings.rack("b").build())) {
                int index = consumer.assign("near", 0, StartAt.beginning());
                produceAndRead(cluster, consumer);
                // The consumer reads from the leader until its connection to the replica is open.
                LeanReading.pollUntil(consumer, read, () -> consumer.broker(index) == NEAR);
                produceAndRead(cluster, consumer);
                assertThat(consumer.broker(index)).isEqualTo(NEAR);
                assertThat(consumer.metrics().relocations())
                        .as("from the leader to the replica")
                        .isEqualTo(1);

                cluster.broker(NEAR).kill();
                produceAndRead(cluster, consumer);
                assertThat(consumer.broker(index)).isEqualTo(LEADER);

                cluster.broker(NEAR).start();
                cluster.awaitInSync("near");
                LeanReading.pollUntil(consumer, read, () -> consumer.broker(index) == NEAR);
                produceAndRead(cluster, consumer);
                assertThat(consumer.broker(index)).isEqualTo(NEAR);

                List<ConsumerRecord<byte[], byte[]>> others = new ArrayList<>();
                int other = elsewhere.assign("near", 0, StartAt.beginning());
                LeanReading.pollUntil(elsewhere, others, () -> others.size() == read.size());
                assertThat(elsewhere.broker(other)).as("without a rack").isEqualTo(LEADER);
            }
            assertThat(Records.numbers(read))
                    .isEqualTo(LongStream.range(0, produced).boxed().toList());
        }
    }

    private void produceAndRead(KafkaCluster cluster, LeanConsumer consumer) {
        Records.produce(cluster.bootstrapServers(), "near", produced, ROUND);
        produced += ROUND;
        LeanReading.pollUntil(consumer, read, () -> read.size() >= produced);
    }
}
