package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.Subscription;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests a bounded read whose topic is deleted before it is read. Regression: a read of partitions given by hand waited
 * forever for the deleted records.
 */
@Tag("long")
@Timeout(120)
class BoundedReadDeletedTopicTest {

    private static final int RECORDS = 20_000;
    private static final int PER_BATCH = 1_000;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokerConfig("auto.create.topics.enable", "false"));

    @ParameterizedTest
    @CsvSource({"LEAN, true", "LEAN, false", "CLIENT, true", "CLIENT, false"})
    void topicThatIsDeleted_endsTheRead(FetchPath path, boolean isByHand) throws Exception {
        String topic = "deleted-" + path + "-" + isByHand;
        KAFKA.cluster().createTopic(topic, 2);
        for (long from = 0; from < RECORDS; from += PER_BATCH) { // one batch would be fetched as a whole
            Records.produce(KAFKA.bootstrapServers(), topic, from, PER_BATCH);
        }
        Subscription all = isByHand
                ? Subscription.partitions(new TopicPartition(topic, 0), new TopicPartition(topic, 1))
                : Subscription.topics(topic);
        ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId(topic)
                .fetch(path)
                .maxOutstandingRecords(10)
                .property("auto.offset.reset", "earliest")
                .property("max.partition.fetch.bytes", "1000")
                .build();
        AtomicInteger read = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch deleted = new CountDownLatch(1);

        RunningPipeline run = KafkaSource.from(settings, all.untilEnd())
                .atLeastOnce()
                .to(Sink.forEach(record -> {
                    begun.countDown();
                    deleted.await();
                    LockSupport.parkNanos(1_000_000); // a broker may serve a deleted topic for a moment
                    read.incrementAndGet();
                }))
                .run();
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        KAFKA.cluster().deleteTopic(topic);
        deleted.countDown();

        assertThat(run.completion()).succeedsWithin(Duration.ofSeconds(60));
        assertThat(read).hasValueBetween(1, RECORDS - 1);
    }
}
