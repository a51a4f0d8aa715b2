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
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests a lean consumer while brokers are killed, frozen and stopped. The consumer must see each record once, in order.
 */
class LeanLeaderMoveTest {

    private static final int ROUND = 2_000;
    private static final int PARTITIONS = 4;

    @Test
    @Tag("long")
    @Timeout(180)
    void leaders_killedFrozenAndStopped_costNoRecordAndRepeatNone() {
        try (KafkaCluster cluster = KafkaCluster.builder().brokers(3).forked().start()) {
            cluster.createTopic("moves", PARTITIONS);
            LeanSettings settings = LeanSettings.builder()
                    .bootstrapServers(cluster.bootstrapServers())
                    .requestTimeout(Duration.ofSeconds(3))
                    .metadataMaxAge(Duration.ofSeconds(5))
                    .build();
            List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
            try (LeanConsumer consumer = LeanConsumer.open(settings)) {
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    consumer.assign("moves", partition, StartAt.beginning());
                }
                produceAndRead(cluster, consumer, read, 1);
                cluster.broker(1).kill();
                produceAndRead(cluster, consumer, read, 2);
                cluster.broker(1).start();
                cluster.awaitInSync("moves");
                cluster.broker(2).freeze();
                produceAndRead(cluster, consumer, read, 3);
                cluster.broker(2).thaw();
                cluster.awaitInSync("moves");
                cluster.broker(3).stop();
                produceAndRead(cluster, consumer, read, 4);
                assertThat(consumer.metrics().relocations()).isPositive();
                assertThat(consumer.metrics().disconnects()).isPositive();
            }
            for (int partition = 0; partition < PARTITIONS; partition++) {
                int number = partition;
                List<Long> offsets = read.stream()
                        .filter(record -> record.partition() == number)
                        .map(ConsumerRecord::offset)
                        .toList();
                assertThat(offsets)
                        .isEqualTo(LongStream.range(0, offsets.size()).boxed().toList());
            }
            assertThat(Records.numbers(read)).hasSize(4 * ROUND).doesNotHaveDuplicates();
        }
    }

    private static void produceAndRead(
            KafkaCluster cluster, LeanConsumer consumer, List<ConsumerRecord<byte[], byte[]>> read, int round) {
        Records.produce(cluster.bootstrapServers(), "moves", (round - 1L) * ROUND, ROUND);
        LeanReading.pollUntil(consumer, read, () -> read.size() >= round * ROUND);
    }
}
