package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests one broker in this JVM. */
final class InProcessClusterTest {
    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("auto.create.topics.enable", "false")
            .brokerConfig("log.initial.task.delay.ms", "100")
            .brokerConfig("log.retention.check.interval.ms", "100"));

    @Test
    void records_producedInKeys_areReadBackInOrderOfEachKey() {
        KAFKA.cluster().createTopic("numbered", 3);

        Records.produce(KAFKA.bootstrapServers(), "numbered", 0, 1_000, 7);

        var records = Records.readAll(KAFKA.bootstrapServers(), "numbered", IsolationLevel.READ_UNCOMMITTED);
        assertThat(Records.numbers(records))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, 1_000).boxed().toList());
        assertThat(Records.numbers(records).stream().filter(n -> n % 7 == 3)).isSorted();
        assertThat(KAFKA.cluster().endOffsets("numbered").values().stream().mapToLong(n -> n))
                .hasSize(3)
                .satisfies(offsets ->
                        assertThat(offsets.stream().mapToLong(n -> n).sum()).isEqualTo(1_000));
    }

    @Test
    void transaction_aborted_isReadUncommittedOnly() throws Exception {
        KAFKA.cluster().createTopic("transactions", 1);
        try (KafkaProducer<String, String> producer =
                producer(Map.of("transactional.id", "in-process", "transaction.timeout.ms", 10_000))) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>("transactions", "1")).get();
            producer.commitTransaction();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>("transactions", "2")).get();
            producer.abortTransaction();
        }

        assertThat(read("transactions", IsolationLevel.READ_COMMITTED)).containsExactly(1L);
        assertThat(read("transactions", IsolationLevel.READ_UNCOMMITTED)).containsExactly(1L, 2L);
        // Two records, and the markers of one commit and one abort.
        assertThat(KAFKA.cluster().endOffsets("transactions")).containsEntry(new TopicPartition("transactions", 0), 4L);
    }

    @Test
    void consumerProtocol_groupOfOne_receivesAndCommits() {
        KAFKA.cluster().createTopic("modern", 2);
        Records.produce(KAFKA.bootstrapServers(), "modern", 0, 10);
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", KAFKA.bootstrapServers(),
                        "group.id", "modern-group",
                        "group.protocol", "consumer",
                        "auto.offset.reset", "earliest",
                        "enable.auto.commit", false),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.subscribe(List.of("modern"));
            while (values.size() < 10) {
                consumer.poll(Duration.ofSeconds(1)).forEach(record -> values.add(record.value()));
            }
            consumer.commitSync();
            assertThat(consumer.groupMetadata().generationId()).isPositive();
        }

        assertThat(values).doesNotHaveDuplicates().hasSize(10);
        assertThat(KAFKA.cluster().committedOffsets("modern-group"))
                .isEqualTo(KAFKA.cluster().endOffsets("modern"));
    }

    @Test
    void shareGroup_ofOne_receivesRecords() throws Exception {
        KAFKA.cluster().createTopic("shared", 2);
        Records.produce(KAFKA.bootstrapServers(), "shared", 0, 10);
        fromTheBeginning("share-group");
        List<String> values = new ArrayList<>();
        try (KafkaShareConsumer<String, String> consumer = new KafkaShareConsumer<>(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "group.id", "share-group"),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.subscribe(List.of("shared"));
            while (values.size() < 10) {
                consumer.poll(Duration.ofSeconds(1)).forEach(record -> values.add(record.value()));
            }
            consumer.commitSync();
        }

        assertThat(values).doesNotHaveDuplicates().hasSize(10);
    }

    @Test
    void brokerConfig_given_overridesTheDefault() {
        assertThatThrownBy(() -> read("never-created", IsolationLevel.READ_UNCOMMITTED))
                .isInstanceOf(KafkaClusterException.class)
                .hasMessage("topic never-created does not exist: create it first");
    }

    /** Regression: the broker deleted records 30 s after its start, before a reader had read them. */
    @Test
    void recordsOfLongAgo_areNotDeleted() throws Exception {
        KAFKA.cluster().createTopic("long-ago", 1);
        KAFKA.cluster().createTopic("soon-gone", 1, Map.of("retention.ms", "1"));
        try (KafkaProducer<String, String> producer = producer(Map.of())) {
            // By the second round, the broker has checked both topics after the first record.
            for (long round = 1; round <= 2; round++) {
                for (String topic : List.of("long-ago", "soon-gone")) {
                    producer.send(new ProducerRecord<>(topic, 0, 1_000_000L, null, Long.toString(round)))
                            .get();
                }
                Await.until("the other topic is empty", () -> {
                    var gone = new TopicPartition("soon-gone", 0);
                    var first = KAFKA.cluster().admin().listOffsets(Map.of(gone, OffsetSpec.earliest()));
                    long end = KAFKA.cluster().endOffsets("soon-gone").getOrDefault(gone, -1L);
                    long left = end
                            - Await.get("first offset", first.partitionResult(gone))
                                    .offset();
                    return left == 0 ? null : left + " records";
                });
            }
        }
        assertThat(read("long-ago", IsolationLevel.READ_UNCOMMITTED)).hasSize(2);
    }

    @Test
    void deleteTopic_existing_isForgotten() {
        KAFKA.cluster().createTopic("short-lived", Map.of(0, List.of(1), 1, List.of(1)));
        assertThat(KAFKA.cluster().endOffsets("short-lived")).hasSize(2);

        KAFKA.cluster().deleteTopic("short-lived");

        assertThatThrownBy(() -> KAFKA.cluster().endOffsets("short-lived"))
                .isInstanceOf(KafkaClusterException.class)
                .hasMessageContaining("describe topic short-lived");
    }

    @Test
    void createTopic_existing_saysSo() {
        KAFKA.cluster().createTopic("twice", 1, Map.of("cleanup.policy", "compact"));

        assertThatThrownBy(() -> KAFKA.cluster().createTopic("twice", 1))
                .isInstanceOf(KafkaClusterException.class)
                .hasMessage("create topic twice: Topic 'twice' already exists.");
    }

    @Test
    void signals_inProcess_areRefused() {
        Broker broker = KAFKA.cluster().broker(1);

        assertThatThrownBy(broker::kill).hasMessageContaining("forked()");
        assertThatThrownBy(broker::pid).hasMessageContaining("forked()");
        assertThat(broker.isRunning()).isTrue();
    }

    @Test
    void broker_stoppedAndStarted_keepsPortAndData() {
        try (KafkaCluster cluster = KafkaCluster.builder().start()) {
            cluster.createTopic("kept", 1);
            Records.produce(cluster.bootstrapServers(), "kept", 0, 5);

            cluster.broker(1).stop();
            assertThat(cluster.broker(1).isRunning()).isFalse();
            cluster.broker(1).start();

            assertThat(Records.numbers(
                            Records.readAll(cluster.bootstrapServers(), "kept", IsolationLevel.READ_UNCOMMITTED)))
                    .containsExactly(0L, 1L, 2L, 3L, 4L);
        }
    }

    @Test
    void threeBrokers_oneStopped_staysWritable() {
        try (KafkaCluster cluster = KafkaCluster.builder().brokers(3).start()) {
            cluster.createTopic("replicated", 3);

            cluster.broker(1).stop();
            Records.produce(cluster.bootstrapServers(), "replicated", 0, 30);
            cluster.broker(1).start();
            cluster.awaitInSync("replicated");

            assertThat(Records.numbers(
                            Records.readAll(cluster.bootstrapServers(), "replicated", IsolationLevel.READ_COMMITTED)))
                    .hasSize(30)
                    .doesNotHaveDuplicates();
        }
    }

    private static List<Long> read(String topic, IsolationLevel isolation) {
        return Records.numbers(Records.readAll(KAFKA.bootstrapServers(), topic, isolation));
    }

    private static void fromTheBeginning(String shareGroup) throws Exception {
        KAFKA.cluster()
                .admin()
                .incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.GROUP, shareGroup),
                        List.of(new AlterConfigOp(
                                new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET))))
                .all()
                .get();
    }

    private static KafkaProducer<String, String> producer(Map<String, Object> own) {
        Map<String, Object> config = new HashMap<>(own);
        config.put("bootstrap.servers", KAFKA.bootstrapServers());
        return new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
    }
}
