package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests {@code weir replay} with dead-letter records that cannot be sent, or that name topics which no option allows.
 */
@Timeout(240)
class ReplayUnsendableTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static WeirCommand replay(String topic, String... more) {
        String[] line = Stream.concat(
                        Stream.of(
                                "replay",
                                "--bootstrap-server",
                                KAFKA.bootstrapServers(),
                                "--dead-letter",
                                topic,
                                "--json",
                                "--connect-timeout",
                                "60s"),
                        Arrays.stream(more))
                .toArray(String[]::new);
        return WeirCommand.run(line);
    }

    /** Returns a dead-letter record in Weir's format. The value says whether its key is null. */
    private static ProducerRecord<byte[], byte[]> deadLetter(
            String deadLetterTopic, String topic, String partition, String timestamp, String value) {
        byte[] key = value.equals("no key") ? null : "k".getBytes(UTF_8);
        var deadLetter = new ProducerRecord<>(deadLetterTopic, 0, key, value.getBytes(UTF_8));
        Map.of(
                        DeadLetterHeaders.TOPIC, topic,
                        DeadLetterHeaders.PARTITION, partition,
                        DeadLetterHeaders.OFFSET, "7",
                        DeadLetterHeaders.TIMESTAMP, timestamp,
                        DeadLetterHeaders.TIME, "2026-11-23T08:00:00Z",
                        DeadLetterHeaders.REASON, "HANDLER",
                        DeadLetterHeaders.MESSAGE, "\u001b[2J\u009b\nforged")
                .forEach((name, text) -> deadLetter.headers().add(name, text.getBytes(UTF_8)));
        return deadLetter;
    }

    private static ProducerRecord<byte[], byte[]> deadLetter(String deadLetterTopic, String topic, String value) {
        return deadLetter(deadLetterTopic, topic, "0", Long.toString(FailureTopics.TIMESTAMP), value);
    }

    // Regression: each of these records ended every run, one of them after 60 s of silence.
    @Test
    void unsendableRecords_areCounted_named_andPassed() {
        KAFKA.cluster().createTopic("good", 1, Map.of("cleanup.policy", "compact"));
        String now = Long.toString(FailureTopics.TIMESTAMP);
        FailureTopics.produce(
                KAFKA.cluster(),
                deadLetter("bad-dead", "good", "first"),
                deadLetter("bad-dead", "good", "0", "-62135596800000", "zero time"),
                deadLetter("bad-dead", "good", "-1", now, "x"),
                deadLetter("bad-dead", "good", "7", now, "x"),
                deadLetter("bad-dead", "good", "no key"), // A compacted topic refuses its whole batch.
                deadLetter("bad-dead", "__consumer_offsets", "x"),
                deadLetter("bad-dead", "__cluster_metadata", "x"),
                deadLetter("bad-dead", "no/topic", "x"),
                deadLetter("bad-dead", "missing", "x"),
                deadLetter("bad-dead", "bad-dead", "x"),
                deadLetter("bad-dead", "good", "last"));

        WeirCommand dry = replay("bad-dead", "--allow-topic", "*", "--dry-run");
        assertThat(dry.exitCode()).isEqualTo(1);
        assertThat(dry.out())
                .contains("\"letters_sent\":4", "\"unsendable\":7")
                .contains("\"message\":\"\\u001B[2J\\u009b\\nforged\"")
                .doesNotContain("\u001b", "\u009b");

        WeirCommand run = replay("bad-dead", "--allow-topic", "*", "--group", "mender");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out())
                .contains("\"letters_read\":11", "\"letters_sent\":3", "\"unsendable\":8", "\"refused\":0");
        assertThat(run.err())
                .contains(
                        "bad-dead-0@2 cannot be read: its header weir-dlq-partition is not a number from 0 to",
                        "bad-dead-0@3 of good-7@7 cannot be sent: there is no partition good-7 any more",
                        "bad-dead-0@4 of good-0@7 cannot be sent: ",
                        "bad-dead-0@5 of __consumer_offsets-0@7 cannot be sent: topic __consumer_offsets is internal",
                        "bad-dead-0@6 of __cluster_metadata-0@7 cannot be sent: ",
                        "bad-dead-0@7 of no/topic-0@7 cannot be sent: no topic can have the name no/topic",
                        "bad-dead-0@8 of missing-0@7 cannot be sent: there is no topic missing",
                        "bad-dead-0@9 of bad-dead-0@7 cannot be sent: its target is the dead-letter topic itself")
                .doesNotContain("\tat ", "fault of Weir");
        assertThat(FailureTopics.read(KAFKA.cluster(), "good"))
                .extracting(FailureTopics::value)
                .containsExactlyInAnyOrder("first", "zero time", "last");

        WeirCommand again = replay("bad-dead", "--allow-topic", "*", "--group", "mender");
        assertThat(again.exitCode()).as(again.err()).isZero();
        assertThat(again.out()).contains("\"letters_read\":0");
    }

    // Regression: a name that does not fit into a request ended each run, after a minute or with an internal error.
    @Test
    void topicNames_thatAreInvalid_areCounted_named_andPassed() {
        KAFKA.cluster().createTopic("valid", 1);
        String longName = "a".repeat(40_000);
        FailureTopics.produce(
                KAFKA.cluster(),
                deadLetter("names-dead", "valid", "first"),
                deadLetter("names-dead", longName, "x"),
                deadLetter("names-dead", "..", "x"),
                ofShareGroup("names-dead", longName),
                ofShareGroup("names-dead", "a b"),
                deadLetter("names-dead", "valid", "last"));

        WeirCommand run = replay("names-dead", "--allow-topic", "*", "--group", "names");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("\"letters_sent\":2", "\"unsendable\":4", "\"originals_gone\":2");
        assertThat(run.err())
                .contains("cannot be sent: no topic can have the name ..", "there is no partition a b-0 any more")
                .doesNotContain("fault of Weir");
        assertThat(FailureTopics.read(KAFKA.cluster(), "valid"))
                .extracting(FailureTopics::value)
                .containsExactly("first", "last");
    }

    /** Returns a dead-letter record without its original, as brokers write it for a share group. */
    private static ProducerRecord<byte[], byte[]> ofShareGroup(String deadLetterTopic, String topic) {
        var deadLetter = new ProducerRecord<byte[], byte[]>(deadLetterTopic, 0, null, null);
        deadLetter
                .headers()
                .add("__dlq.errors.topic", topic.getBytes(UTF_8))
                .add("__dlq.errors.partition", "0".getBytes(UTF_8))
                .add("__dlq.errors.offset", "0".getBytes(UTF_8));
        return deadLetter;
    }

    /** Without this refusal, a writer of the dead-letter topic could write to all topics of the operator. */
    @Test
    void topicThatNoOptionAllows_isRefused_andTheMessageNamesTheOption() {
        KAFKA.cluster().createTopic("orders", 1);
        KAFKA.cluster().createTopic("payroll", 1);
        FailureTopics.produce(
                KAFKA.cluster(),
                deadLetter("named-dead", "orders", "mine"),
                deadLetter("named-dead", "payroll", "theirs"),
                deadLetter("named-dead", "orders", "mine too"));

        WeirCommand none = replay("named-dead");
        assertThat(none.exitCode()).isEqualTo(1);
        assertThat(none.out())
                .contains("\"letters_sent\":0", "\"refused\":3", "\"refused_topics\":{\"orders\":2,\"payroll\":1}")
                .contains("--allow-topic names the topics");
        assertThat(none.err()).contains("no option allows topic orders; --allow-topic orders does");

        // The operator forgot the option. No record may be lost.
        WeirCommand forgotten = replay("named-dead", "--group", "careful");
        assertThat(forgotten.exitCode()).isEqualTo(1);
        assertThat(forgotten.err()).contains("no option allows topic orders", "Nothing is committed past it");
        assertThat(KAFKA.cluster().committedOffsets("careful")).isEmpty();

        WeirCommand allowed = replay("named-dead", "--group", "careful", "--allow-topic", "invoices,orders");
        assertThat(allowed.exitCode()).isEqualTo(1);
        assertThat(allowed.out()).contains("\"letters_sent\":2", "\"refused\":1", "\"refused_topics\":{\"payroll\":1}");

        WeirCommand excluded = replay("named-dead", "--allow-topic", "*", "--exclude-topic", "pay*", "--dry-run");
        assertThat(excluded.exitCode()).as(excluded.err()).isZero();
        assertThat(excluded.out()).contains("\"letters_sent\":2", "\"excluded\":1", "\"refused\":0");

        WeirCommand filtered = replay("named-dead", "--filter", "topic=orders", "--dry-run");
        assertThat(filtered.exitCode()).as(filtered.err()).isZero();
        assertThat(filtered.out()).contains("\"letters_sent\":2", "\"filtered_out\":1");

        assertThat(FailureTopics.read(KAFKA.cluster(), "payroll")).isEmpty();
    }

    /** A dead-letter record alone must not make the operator copy records of a topic. */
    @Test
    void originalOfATopicThatNoOptionAllows_isNotCopied_evenWithTo() {
        KAFKA.cluster().createTopic("salaries", 1);
        KAFKA.cluster().createTopic("public", 1);
        FailureTopics.produce(KAFKA.cluster(), FailureTopics.record("salaries", "k", "a lot"));
        FailureTopics.produce(KAFKA.cluster(), ofShareGroup("copy-dead", "salaries"));
        WeirCommand run = replay("copy-dead", "--to", "public");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("\"letters_sent\":0", "\"refused_topics\":{\"salaries\":1}");
        assertThat(FailureTopics.read(KAFKA.cluster(), "public")).isEmpty();
    }

    /** {@code *} excludes the brokers' internal topics. */
    @Test
    void originalOfAnInternalTopic_isNotCopied_evenIfAllTopicsAreAllowed() {
        KAFKA.cluster().createTopic("target", 1);
        KAFKA.cluster().createTopic("inner-dead", 1);
        String internal = "__consumer_offsets";
        assertThat(replay("inner-dead", "--to", "target", "--group", "inner").exitCode())
                .isZero();
        FailureTopics.produce(KAFKA.cluster(), deadLetter("inner-dead", "no-such-topic", "v"));
        // Commits, which writes a record to the internal topic.
        assertThat(replay("inner-dead", "--allow-topic", "*", "--group", "inner")
                        .out())
                .contains("\"unsendable\":1");
        TopicPartition written = KAFKA.cluster().endOffsets(internal).entrySet().stream()
                .filter(end -> end.getValue() > 0)
                .findFirst()
                .orElseThrow()
                .getKey();
        var deadLetter = new ProducerRecord<byte[], byte[]>("inner-dead", 0, null, null);
        deadLetter
                .headers()
                .add("__dlq.errors.topic", internal.getBytes(UTF_8))
                .add(
                        "__dlq.errors.partition",
                        Integer.toString(written.partition()).getBytes(UTF_8))
                .add("__dlq.errors.offset", "0".getBytes(UTF_8));
        FailureTopics.produce(KAFKA.cluster(), deadLetter);
        WeirCommand run = replay("inner-dead", "--allow-topic", "*", "--to", "target", "--group", "inner");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("\"letters_sent\":0", "\"unsendable\":1");
        assertThat(run.err()).contains("topic " + internal + " is internal to Kafka");
        assertThat(FailureTopics.read(KAFKA.cluster(), "target")).isEmpty();
    }
}
