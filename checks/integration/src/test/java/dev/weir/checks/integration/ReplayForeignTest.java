package dev.weir.checks.integration;

import static dev.weir.checks.integration.FailureTopics.record;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests {@code weir replay} with dead-letter records from other writers. {@code SpringDeadLetterTest} covers Spring's
 * recoverer.
 */
@Timeout(240)
class ReplayForeignTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
            .brokerConfig("allow.everyone.if.no.acl.found", "true"));

    private static WeirCommand replay(String topic, String... more) {
        String[] line = Stream.concat(
                        Stream.of(
                                "replay",
                                "--bootstrap-server",
                                KAFKA.bootstrapServers(),
                                "--dead-letter",
                                topic,
                                "--json",
                                "--allow-topic",
                                "*",
                                "--connect-timeout",
                                "60s"),
                        Arrays.stream(more))
                .toArray(String[]::new);
        return WeirCommand.run(line);
    }

    private static void configureGroup(String group, Map<String, String> settings) throws Exception {
        List<AlterConfigOp> changes = settings.entrySet().stream()
                .map(each ->
                        new AlterConfigOp(new ConfigEntry(each.getKey(), each.getValue()), AlterConfigOp.OpType.SET))
                .toList();
        KAFKA.cluster()
                .admin()
                .incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, group), changes))
                .all()
                .get();
    }

    private static void rejectAll(String group, String topic, String deadLetters, int count) {
        try (var member = new KafkaShareConsumer<>(
                Map.<String, Object>of(
                        "bootstrap.servers",
                        KAFKA.bootstrapServers(),
                        "group.id",
                        group,
                        "share.acknowledgement.mode",
                        "explicit"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            member.subscribe(List.of(topic));
            ConsumerLedger.await("dead-letter records of the broker", Duration.ofMinutes(2), () -> {
                member.poll(Duration.ofMillis(200)).forEach(each -> member.acknowledge(each, AcknowledgeType.REJECT));
                member.commitSync();
                return FailureTopics.read(KAFKA.cluster(), deadLetters).size() == count;
            });
        }
    }

    /** The broker's dead-letter records contain only headers. Two of the six originals are deleted. */
    @Test
    void lettersOfABroker_bringTheOriginalsBack_andNameThoseThatAreGone() throws Exception {
        KAFKA.cluster().createTopic("lent", 1);
        KAFKA.cluster().createTopic("dlq.lent", 1, Map.of("errors.deadletterqueue.group.enable", "true"));
        configureGroup(
                "lenders",
                Map.of(
                        "errors.deadletterqueue.topic.name", "dlq.lent",
                        "share.auto.offset.reset", "earliest"));
        IntStream.range(0, 6).forEach(i -> FailureTopics.produce(KAFKA.cluster(), record("lent", "k" + i, "v" + i)));
        rejectAll("lenders", "lent", "dlq.lent", 6);
        assertThat(FailureTopics.read(KAFKA.cluster(), "dlq.lent"))
                .allSatisfy(deadLetter -> assertThat(deadLetter.value()).isNull());
        List<ConsumerRecord<byte[], byte[]>> before = FailureTopics.read(KAFKA.cluster(), "lent");
        KAFKA.cluster()
                .admin()
                .deleteRecords(Map.of(new TopicPartition("lent", 0), RecordsToDelete.beforeOffset(2)))
                .all()
                .get();

        WeirCommand dry = replay("dlq.lent", "--dry-run", "--filter", "key=k4");
        assertThat(dry.out())
                .contains("\"format\":\"share-group\"", "\"letters_sent\":1", "\"filtered_out\":3")
                .contains("\"originals_gone\":2");
        WeirCommand run = replay("dlq.lent");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.out())
                .contains("\"letters_read\":6", "\"letters_sent\":4", "\"unsendable\":2", "\"originals_gone\":2")
                .contains("\"formats\":{\"share-group\":6}");
        assertThat(run.err())
                .contains("its original is gone: lent-0@0: retention has deleted it; the partition begins at 2")
                .contains("lent-0@1")
                .doesNotContain("\tat ");

        List<ConsumerRecord<byte[], byte[]>> after = FailureTopics.read(KAFKA.cluster(), "lent");
        assertThat(after).hasSize(8);
        for (int i = 2; i < 6; i++) {
            ConsumerRecord<byte[], byte[]> original = before.get(i);
            assertThat(after.get(i + 2).key()).isEqualTo(original.key());
            assertThat(after.get(i + 2).value()).isEqualTo(original.value());
            assertThat(after.get(i + 2).headers()).isEqualTo(original.headers());
            assertThat(after.get(i + 2).timestamp()).isEqualTo(original.timestamp());
        }
    }

    private static ProducerRecord<byte[], byte[]> connect(String value, long timestamp) {
        var deadLetter = new ProducerRecord<>("mixed-dead", 0, timestamp, "k".getBytes(UTF_8), value.getBytes(UTF_8));
        deadLetter
                .headers()
                .add("own", "yes".getBytes(UTF_8))
                .add("__connect.errors.topic", "mixed".getBytes(UTF_8))
                .add("__connect.errors.partition", "0".getBytes(UTF_8))
                .add("__connect.errors.offset", "41".getBytes(UTF_8))
                .add("__connect.errors.exception.message", "no JSON".getBytes(UTF_8));
        return deadLetter;
    }

    private static ProducerRecord<byte[], byte[]> spring(String value) {
        var deadLetter = new ProducerRecord<>("mixed-dead", 0, "k".getBytes(UTF_8), value.getBytes(UTF_8));
        deadLetter
                .headers()
                .add("kafka_dlt-original-topic", "mixed".getBytes(UTF_8))
                .add(
                        "kafka_dlt-original-partition",
                        ByteBuffer.allocate(4).putInt(1).array())
                .add(
                        "kafka_dlt-original-offset",
                        ByteBuffer.allocate(8).putLong(42).array())
                .add("kafka_dlt-exception-message", "listener failed".getBytes(UTF_8));
        return deadLetter;
    }

    private static ProducerRecord<byte[], byte[]> own(String value) {
        var deadLetter = new ProducerRecord<>("mixed-dead", 0, "k".getBytes(UTF_8), value.getBytes(UTF_8));
        deadLetter.headers().add("from", "mixed".getBytes(UTF_8)).add("shard", "1".getBytes(UTF_8));
        return deadLetter;
    }

    @Test
    void lettersOfSeveralWriters_areRecognisedOneByOne_selected_andTheOutputIsCapped() {
        KAFKA.cluster().createTopic("mixed", 2);
        KAFKA.cluster().createTopic("mixed-dead", 1);
        long old = FailureTopics.TIMESTAMP;
        FailureTopics.produce(
                KAFKA.cluster(), connect("old", old), connect("new", old + 60_000), spring("s"), own("o"));

        WeirCommand dry = replay("mixed-dead", "--dry-run", "--list", "1");
        assertThat(dry.exitCode()).isEqualTo(1);
        assertThat(dry.out().lines()).hasSize(2);
        assertThat(dry.out())
                .contains("\"letters_sent\":3", "\"unsendable\":1", "\"formats\":{\"connect\":2,\"spring\":1}");
        assertThat(dry.err())
                .contains("... and 2 more that would be sent; --list prints more")
                .contains("mixed-dead-0@3 is not a dead-letter record of a known format", "__connect.errors.topic");

        String since = Instant.ofEpochMilli(old + 60_000).toString();
        WeirCommand selected = replay(
                "mixed-dead", "--max", "3", "--since", since, "--filter", "header.own=yes", "--filter", "message=JSON");
        assertThat(selected.exitCode()).as(selected.err()).isZero();
        assertThat(selected.out()).contains("\"letters_read\":3", "\"letters_sent\":1", "\"filtered_out\":2");
        WeirCommand named =
                replay("mixed-dead", "--origin-headers", "topic=from,partition=shard", "--filter", "header.shard=1");
        assertThat(named.out())
                .contains("\"letters_sent\":1", "\"unsendable\":0", "\"filtered_out\":3")
                .contains("\"formats\":{\"connect\":2,\"headers\":1,\"spring\":1}");

        List<ConsumerRecord<byte[], byte[]>> back = FailureTopics.read(KAFKA.cluster(), "mixed");
        assertThat(back).extracting(FailureTopics::value).containsExactlyInAnyOrder("new", "o");
        assertThat(back).allSatisfy(record -> {
            boolean isNew = FailureTopics.value(record).equals("new");
            assertThat(record.partition()).isEqualTo(isNew ? 0 : 1);
            assertThat(record.headers().toArray()).hasSize(isNew ? 1 : 0);
        });
    }

    /** The operator misspelt a header name. The corrected run must process all dead-letter records. */
    @Test
    void wrongOriginHeaders_commitNothingThatTheyDoNotFit() {
        KAFKA.cluster().createTopic("spelt", 1);
        FailureTopics.produce(KAFKA.cluster(), deadLetter("spelt-dead", "from", "spelt"));
        WeirCommand wrong = replay("spelt-dead", "--group", "spelling", "--origin-headers", "topic=form");
        assertThat(wrong.exitCode()).isEqualTo(1);
        assertThat(wrong.err())
                .contains(
                        "cannot commit past a record that is not a dead-letter record of the named format: spelt-dead-0@0")
                .doesNotContain("\tat ");
        WeirCommand right = replay("spelt-dead", "--group", "spelling", "--origin-headers", "topic=from");
        assertThat(right.exitCode()).as(right.err()).isZero();
        assertThat(right.out()).contains("\"letters_sent\":1");
    }

    private static ProducerRecord<byte[], byte[]> deadLetter(String to, String... headers) {
        var deadLetter = new ProducerRecord<>(to, 0, "k".getBytes(UTF_8), "v".getBytes(UTF_8));
        for (int i = 0; i < headers.length; i += 2) {
            deadLetter.headers().add(headers[i], headers[i + 1].getBytes(UTF_8));
        }
        return deadLetter;
    }

    /**
     * Regression: an original record in a topic without read permission ended the run. A later run must retry only this
     * record.
     */
    @Test
    void originalThatMayNotBeRead_isNamed_andHoldsUpNoOther() throws Exception {
        KAFKA.cluster().createTopic("open", 1);
        KAFKA.cluster().createTopic("secret", 1);
        FailureTopics.produce(
                KAFKA.cluster(),
                deadLetter("shut-dead", "__connect.errors.topic", "open"),
                deadLetter(
                        "shut-dead",
                        "__dlq.errors.topic",
                        "secret",
                        "__dlq.errors.partition",
                        "0",
                        "__dlq.errors.offset",
                        "0"),
                deadLetter("shut-dead", "__connect.errors.topic", "open"));
        forbid("secret");
        for (int i = 0; i < 2; i++) {
            WeirCommand run = replay("shut-dead", "--group", "shut");
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.out()).contains("\"letters_sent\":" + (i == 0 ? 2 : 0), "\"unsendable\":1");
            assertThat(run.err())
                    .contains("dead-letter record shut-dead-0@1 of secret-0@0 lacks its record")
                    .doesNotContain("\tat ");
        }
        assertThat(FailureTopics.read(KAFKA.cluster(), "open")).hasSize(2);
    }

    /** Regression: later runs sent other records again. Once permitted, a run must send only the remaining records. */
    @Test
    void letterOfATopicThatMayNotBeWritten_isLeftToALaterRun_andTheOthersAreSentOnce() throws Exception {
        KAFKA.cluster().createTopic("taking", 1);
        KAFKA.cluster().createTopic("closed", 1);
        FailureTopics.produce(
                KAFKA.cluster(),
                deadLetter("refused-dead", "__connect.errors.topic", "taking"),
                deadLetter("refused-dead", "__connect.errors.topic", "closed"),
                deadLetter("refused-dead", "__connect.errors.topic", "taking"));
        AclBinding rule = forbid("closed");
        for (int i = 0; i < 2; i++) {
            WeirCommand run = replay("refused-dead", "--group", "refused");
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.out()).contains("\"letters_sent\":" + (i == 0 ? 2 : 0), "\"unsendable\":1");
            assertThat(run.err())
                    .contains("dead-letter record refused-dead-0@1 of closed-?@? cannot be sent: ")
                    .doesNotContain("\tat ");
        }
        assertThat(KAFKA.cluster().committedOffsets("refused"))
                .containsExactly(Map.entry(new TopicPartition("refused-dead", 0), 1L));
        var ignored = KAFKA.cluster()
                .admin()
                .deleteAcls(List.of(rule.toFilter()))
                .all()
                .get();
        ConsumerLedger.await("the broker knows it", Duration.ofMinutes(1), () -> !isForbidden("closed"));
        WeirCommand last = replay("refused-dead", "--group", "refused");
        assertThat(last.exitCode()).as(last.err()).isZero();
        assertThat(last.out()).contains("\"letters_sent\":1");
        assertThat(KAFKA.cluster().committedOffsets("refused"))
                .containsExactly(Map.entry(new TopicPartition("refused-dead", 0), 3L));
        assertThat(FailureTopics.read(KAFKA.cluster(), "taking")).hasSize(2);
        assertThat(FailureTopics.read(KAFKA.cluster(), "closed")).hasSize(1);
    }

    /** Simulates a small heap: runs out of memory for a poll of several records, or for a large key. */
    public static final class SmallHeap
            implements ConsumerInterceptor<byte[], byte[]>, ProducerInterceptor<byte[], byte[]> {

        @Override
        public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
            records.forEach(record -> {
                if (records.count() > 1 || record.key().length > 1) {
                    throw new OutOfMemoryError("planned");
                }
            });
            return records;
        }

        @Override
        public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

        @Override
        public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
            return record;
        }

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> configs) {}
    }

    /** Regression: after a record exhausted the heap, the message advised a commit that would lose unsent records. */
    @Test
    void recordThatExhaustsTheHeap_afterAnUnsentOne_isNotToBeLeftOutByACommit(@TempDir Path folder) throws Exception {
        KAFKA.cluster().createTopic("kept", 1);
        KAFKA.cluster().createTopic("barred", 1);
        var large = new ProducerRecord<>("heap-dead", 0, "large".getBytes(UTF_8), "v".getBytes(UTF_8));
        FailureTopics.produce(
                KAFKA.cluster(),
                deadLetter("heap-dead", "__connect.errors.topic", "barred"),
                deadLetter("heap-dead", "__connect.errors.topic", "kept"),
                large);
        AclBinding ignored = forbid("barred");
        String config = Files.writeString(
                        folder.resolve("heap.properties"), "interceptor.classes=" + SmallHeap.class.getName())
                .toString();
        String advice = "a commit of the next offset leaves it out";

        WeirCommand dry = replay("heap-dead", "--client-config", config, "--dry-run");
        assertThat(dry.err())
                .contains("does not fit into the heap", "A run without --dry-run")
                .doesNotContain(advice);

        WeirCommand run = replay("heap-dead", "--client-config", config, "--group", "heap");
        assertThat(run.out()).contains("\"letters_sent\":1", "\"unsendable\":1");
        assertThat(run.err())
                .contains("does not fit into the heap", "Dead-letter record heap-dead-0@0 before it is not sent yet")
                .doesNotContain(advice);

        WeirCommand next = replay("heap-dead", "--client-config", config, "--group", "heap", "--exclude-topic=barred");
        assertThat(next.err()).contains(advice);
        assertThat(KAFKA.cluster().committedOffsets("heap"))
                .containsExactly(Map.entry(new TopicPartition("heap-dead", 0), 2L));
    }

    @Test
    void partitionsThatAreReadInTurns_areSentOnce(@TempDir Path folder) throws Exception {
        KAFKA.cluster().createTopic("turns", 1);
        KAFKA.cluster().createTopic("turns-dead", 2);
        List<ProducerRecord<byte[], byte[]>> deadLetters = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            var each = new ProducerRecord<>("turns-dead", i % 2, "k".getBytes(UTF_8), ("v" + i).getBytes(UTF_8));
            each.headers().add("__connect.errors.topic", "turns".getBytes(UTF_8));
            deadLetters.add(each);
        }
        FailureTopics.produceAll(KAFKA.cluster(), deadLetters);
        Path config = Files.writeString(
                folder.resolve("heap.properties"), "interceptor.classes=" + SmallHeap.class.getName());
        WeirCommand run = replay("turns-dead", "--client-config", config.toString(), "--group", "turns");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(FailureTopics.read(KAFKA.cluster(), "turns").stream()
                        .map(each -> new String(each.value(), UTF_8))
                        .toList())
                .hasSize(600)
                .doesNotHaveDuplicates();
    }

    private static AclBinding forbid(String topic) throws Exception {
        AclBinding rule = new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                new AccessControlEntry("User:*", "*", AclOperation.ALL, AclPermissionType.DENY));
        KAFKA.cluster().admin().createAcls(List.of(rule)).all().get();
        ConsumerLedger.await("the broker knows it", Duration.ofMinutes(1), () -> isForbidden(topic));
        return rule;
    }

    private static boolean isForbidden(String topic) {
        try {
            var ignored = KAFKA.cluster()
                    .admin()
                    .describeTopics(List.of(topic))
                    .allTopicNames()
                    .get();
            return false;
        } catch (ExecutionException failure) {
            return failure.getCause() instanceof TopicAuthorizationException;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
