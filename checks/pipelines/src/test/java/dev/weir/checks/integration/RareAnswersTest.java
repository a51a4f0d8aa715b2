package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.FaultProxy;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.RareAnswer;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests pipelines whose brokers give legal but rare answers, drawn from a seed. */
@Timeout(120)
class RareAnswersTest {

    private static final int COUNT = 2_000;
    private static final int CHUNK = 100;

    private static KafkaCluster cluster;

    @BeforeAll
    static void startCluster() {
        cluster = KafkaCluster.builder().start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    private static void createTopics(String name) {
        cluster.createTopic(name + "-in", 4);
        cluster.createTopic(name + "-out", 4);
        // Writes small batches, to get many fetches.
        for (int first = 0; first < COUNT; first += CHUNK) {
            Records.produce(cluster.bootstrapServers(), name + "-in", first, CHUNK, ExactlyOnceLedger.KEYS);
        }
    }

    private static ConsumerSettings<byte[], byte[]> consumer(FaultProxy network, String group, FetchPath path) {
        return ConsumerSettings.builder()
                .bootstrapServers(network.bootstrapServers())
                .groupId(group)
                .fetch(path)
                .commitInterval(Duration.ofMillis(20))
                .property(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, "20")
                .property(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "100")
                .property(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, "2048")
                .property(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, "1024")
                .property(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "50")
                .build();
    }

    private static ProducerSettings.Builder<byte[], byte[]> producer(FaultProxy network) {
        return ProducerSettings.builder()
                .bootstrapServers(network.bootstrapServers())
                // After repeated timeouts, Kafka's client may repeat a batch forever (ADR 232).
                .property(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, "4000");
    }

    private static ConsumerRecord<byte[], byte[]> worked(ConsumerRecord<byte[], byte[]> record)
            throws InterruptedException {
        ConsumerLedger.work(Duration.ofMillis(1));
        return record;
    }

    private static void runToEnd(Pipeline pipeline) throws Exception {
        try (RunningPipeline run = pipeline.run()) {
            assertThat(run.completion()
                            .toCompletableFuture()
                            .get(100, TimeUnit.SECONDS)
                            .leftUndone())
                    .isEmpty();
        }
    }

    /** Runs a pipeline, and restarts it like an operator if its producer was stuck. */
    private static void runAgainWhileStuck(Pipeline copy) throws Exception {
        for (int left = 2; ; left--) {
            try {
                runToEnd(copy);
                return;
            } catch (ExecutionException failure) {
                if (left == 0 || !String.valueOf(failure.getMessage()).contains("the producer has had no answer")) {
                    throw failure;
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"CLIENT, CLIENT", "LEAN, LEAN"})
    void copy_losesNothing(FetchPath fetch, ProducePath produce) throws Exception {
        String name = "copy-" + fetch;
        createTopics(name);
        try (FaultProxy network = FaultProxy.to(cluster.bootstrapServers())) {
            network.answerRarely(7);
            runAgainWhileStuck(KafkaSource.from(
                            consumer(network, name, fetch),
                            Subscription.topics(name + "-in").untilEnd())
                    .atLeastOnce()
                    .mapBlocking(8, RecordOrdering.byPartition(), RareAnswersTest::worked)
                    .map(record -> new ProducerRecord<>(name + "-out", record.key(), record.value()))
                    .to(KafkaSink.with(producer(network).produce(produce).build())
                            .records()));
            Map<RareAnswer, Long> given = network.rareAnswers();
            for (RareAnswer each : List.of(RareAnswer.LATE, RareAnswer.EMPTY_FETCH, RareAnswer.WRITE_TIMED_OUT)) {
                assertThat(given.get(each)).as("%s", given).isPositive();
            }
        }
        assertThat(Records.numbers(
                        Records.readAll(cluster.bootstrapServers(), name + "-out", IsolationLevel.READ_COMMITTED)))
                .containsAll(LongStream.range(0, COUNT).boxed().toList());
    }

    @Test
    void exactlyOnceFlow_isSeenOnce() throws Exception {
        createTopics("once");
        try (FaultProxy network = FaultProxy.to(cluster.bootstrapServers())) {
            network.answerRarely(11);
            runToEnd(KafkaSource.from(
                            consumer(network, "once", FetchPath.CLIENT),
                            Subscription.topics("once-in").untilEnd())
                    .exactlyOnce()
                    .commitRecords(50)
                    .produceTo(
                            producer(network).build(),
                            records -> records.mapBlocking(8, RecordOrdering.byKey(), RareAnswersTest::worked)
                                    .map(record -> new ProducerRecord<>("once-out", record.key(), record.value()))));
            assertThat(network.rareAnswers().get(RareAnswer.TRANSACTION_ABORTABLE))
                    .isPositive();
        }
        ExactlyOnceLedger.assertEachOnceInOrderOfItsKey(cluster, "once-out", COUNT);
    }
}
