package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterException;
import dev.weir.testkit.Records;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Checks the statements of {@code docs/reference/compatibility.md} about the oldest broker: its features and its
 * refusals.
 */
@Timeout(300)
class OldBrokerTest {

    private static final int EACH_TIME = 2_000;

    private static KafkaCluster broker;

    @BeforeAll
    static void startBroker() throws Exception {
        broker = cluster().start();
    }

    @AfterAll
    static void stopBroker() {
        if (broker != null) {
            broker.close();
        }
    }

    private static KafkaCluster.Builder cluster() throws IOException {
        String jars = Files.readString(
                Path.of(System.getProperty("weir.root"), "checks/broker-release/target/broker.classpath"));
        return KafkaCluster.builder()
                .forked()
                .heapMegabytes(256)
                .serverClassPath(Stream.of(jars.strip().split(File.pathSeparator, -1))
                        .map(Path::of)
                        .toList());
    }

    private static long committed(String group) {
        return broker.committedOffsets(group).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private static ConsumerSettings.Builder<byte[], byte[]> consumer(String group) {
        return ConsumerSettings.builder()
                .bootstrapServers(broker.bootstrapServers())
                .groupId(group)
                .property("auto.offset.reset", "earliest");
    }

    private static ProducerSettings.Builder<byte[], byte[]> producer() {
        return ProducerSettings.builder().bootstrapServers(broker.bootstrapServers());
    }

    private static ProducerRecord<byte[], byte[]> to(String topic, ConsumerRecord<byte[], byte[]> record) {
        return new ProducerRecord<>(topic, record.key(), record.value());
    }

    private static void runToEnd(Pipeline pipeline) throws Exception {
        try (RunningPipeline run = pipeline.run()) {
            assertThat(run.completion()
                            .toCompletableFuture()
                            .get(240, TimeUnit.SECONDS)
                            .drained())
                    .isTrue();
        }
    }

    private static List<Long> numbers(String topic, IsolationLevel isolation) {
        return Records.numbers(Records.readAll(broker.bootstrapServers(), topic, isolation)).stream()
                .sorted()
                .toList();
    }

    private static List<Long> upTo(int count) {
        return LongStream.range(0, count).boxed().toList();
    }

    @ParameterizedTest
    @EnumSource(FetchPath.class)
    void groupOfEachPath_readsWritesCommits_andGoesOnInTheNextRun(FetchPath path) throws Exception {
        String name = "group-" + path;
        broker.createTopic(name + "-in", 3);
        broker.createTopic(name + "-out", 3);
        ProducePath producing = path == FetchPath.LEAN ? ProducePath.LEAN : ProducePath.CLIENT;
        Pipeline pipeline = KafkaSource.from(
                        consumer(name).fetch(path).build(),
                        Subscription.topics(name + "-in").untilEnd())
                .atLeastOnce()
                .mapBlocking(16, RecordOrdering.byKey(), record -> record)
                .map(record -> to(name + "-out", record))
                .to(KafkaSink.with(producer().produce(producing).build()).records());
        for (int run = 0; run < 2; run++) {
            Records.produce(broker.bootstrapServers(), name + "-in", (long) run * EACH_TIME, EACH_TIME, 50);
            runToEnd(pipeline);
            assertThat(committed(name)).isEqualTo((run + 1L) * EACH_TIME);
            assertThat(numbers(name + "-out", IsolationLevel.READ_UNCOMMITTED)).isEqualTo(upTo((run + 1) * EACH_TIME));
        }
    }

    @ParameterizedTest
    @EnumSource(FetchPath.class)
    void transactionsOfEachPath_areSeenOnce(FetchPath path) throws Exception {
        String name = "exactly-" + path;
        broker.createTopic(name + "-in", 3);
        broker.createTopic(name + "-out", 3);
        Records.produce(broker.bootstrapServers(), name + "-in", 0, EACH_TIME, 50);
        runToEnd(KafkaSource.from(
                        consumer(name).fetch(path).build(),
                        Subscription.topics(name + "-in").untilEnd())
                .exactlyOnce()
                .commitInterval(Duration.ofMillis(50))
                .produceTo(producer().build(), records -> records.map(record -> to(name + "-out", record))));
        assertThat(numbers(name + "-out", IsolationLevel.READ_COMMITTED)).isEqualTo(upTo(EACH_TIME));
        assertThat(committed(name)).isEqualTo(EACH_TIME);
    }

    @Test
    void broker_startedAgain_hasItsRecords() {
        broker.createTopic("kept", 1);
        Records.produce(broker.bootstrapServers(), "kept", 0, EACH_TIME, 50);
        broker.broker(1).kill();
        broker.broker(1).start();
        assertThat(numbers("kept", IsolationLevel.READ_UNCOMMITTED)).isEqualTo(upTo(EACH_TIME));
    }

    @Test
    void setting_thatTheReleaseRefuses_isNamedWithTheLog(@TempDir Path folder) throws Exception {
        KafkaCluster.Builder refused =
                cluster().dataFolder(folder.resolve("cluster")).brokerConfig("num.io.threads", "none");
        assertThatThrownBy(refused::start)
                .isInstanceOf(KafkaClusterException.class)
                .hasMessageContainingAll("broker 1", "Invalid value none", "num.io.threads", "broker-1.log");
    }

    @Test
    void shareGroup_isRefusedWithWhatItNeeds() throws Exception {
        broker.createTopic("share-in", 1);
        ShareSettings<byte[], byte[]> settings = ShareSettings.builder()
                .bootstrapServers(broker.bootstrapServers())
                .groupId("share")
                .build();
        assertThatThrownBy(KafkaSource.shared(settings, "share-in").to(Sink.ignore())::run)
                .hasMessageContaining("the brokers have no share groups")
                .hasMessageContaining("4.2");
    }

    @Test
    void newGroupProtocol_isRefusedWithItsName() throws Exception {
        broker.createTopic("protocol-in", 1);
        Pipeline pipeline = KafkaSource.from(
                        consumer("protocol")
                                .property("group.protocol", "consumer")
                                .build(),
                        "protocol-in")
                .atLeastOnce()
                .to(Sink.ignore());
        assertThatThrownBy(() -> pipeline.run().await()).hasMessageContaining("group.protocol");
    }
}
