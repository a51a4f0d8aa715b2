package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.stream.DrainReport;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Test;

class FirstKafkaPipelineTest {

    @Test
    void pipeline_untilEnd_movesEachRecordOnceAndCommitsAll() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().start()) {
            cluster.createTopic("in", 6);
            cluster.createTopic("out", 6);
            Records.produce(cluster.bootstrapServers(), "in", 0, 100_000, 1000);
            var consumer = ConsumerSettings.builder()
                    .bootstrapServers(cluster.bootstrapServers())
                    .groupId("g")
                    .build();
            var producer = ProducerSettings.builder()
                    .bootstrapServers(cluster.bootstrapServers())
                    .build();
            try (RunningPipeline running = KafkaSource.from(
                            consumer, Subscription.topics("in").untilEnd())
                    .atLeastOnce()
                    .mapBlocking(64, RecordOrdering.byKey(), record -> record)
                    .map(record -> new ProducerRecord<>("out", null, record.key(), record.value(), record.headers()))
                    .to(KafkaSink.with(producer).records())
                    .run()) {
                DrainReport report = running.await();
                assertThat(report.drained()).isTrue();
            }
            assertThat(Records.numbers(
                                    Records.readAll(cluster.bootstrapServers(), "out", IsolationLevel.READ_UNCOMMITTED))
                            .stream()
                            .sorted()
                            .toList())
                    .isEqualTo(LongStream.range(0, 100_000).boxed().toList());
            assertThat(cluster.committedOffsets("g")).isEqualTo(cluster.endOffsets("in"));
        }
    }
}
