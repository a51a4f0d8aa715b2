package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests batches of a few KB that decompress to more than the whole heap of 64 MB. */
@Tag("long")
@Timeout(300)
class PipeBatchMemoryTest {

    private static final int HEAP_MEGABYTES = 64;
    private static final Duration LONGEST = Duration.ofMinutes(2);

    private static KafkaCluster cluster;

    @BeforeAll
    static void write() {
        cluster = KafkaCluster.builder().forked().start();
        cluster.createTopic("bomb", 1);
        send("bomb", new byte[10]);
        send("bomb", new byte[100_000_000]);
        send("bomb", new byte[10]);
        cluster.createTopic("many", 1);
        byte[] megabyte = "a".repeat(1_000_000).getBytes(US_ASCII);
        send("many", megabyte, 200);
        cluster.createTopic("headers", 1);
        send("headers", new byte[10], 200, new RecordHeader("h", new byte[1_000_000]));
    }

    @AfterAll
    static void close() {
        cluster.close();
    }

    private static void send(String topic, byte[] value) {
        send(topic, value, 1);
    }

    private static void send(String topic, byte[] value, int count, Header... headers) {
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of(
                        "bootstrap.servers",
                        cluster.bootstrapServers(),
                        "compression.type",
                        "zstd",
                        "batch.size",
                        count == 1 ? 16_384 : 256 << 20,
                        "buffer.memory",
                        300 << 20,
                        "linger.ms",
                        60_000,
                        "max.request.size",
                        300 << 20),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int n = 0; n < count; n++) {
                byte[] noKey = null;
                var ignored = producer.send(new ProducerRecord<>(topic, 0, noKey, value, List.of(headers)));
            }
            producer.flush();
        }
    }

    private static PipeProcess pipe(String from, String name, String... more) {
        cluster.createTopic(name, 1);
        List<String> options = new ArrayList<>(List.of("--from", from, "--to", name, "--group", name));
        options.addAll(List.of(more));
        return command("pipe", options.toArray(String[]::new));
    }

    private static PipeProcess command(String name, String... options) {
        List<String> command = new ArrayList<>(List.of(name, "--bootstrap-server", cluster.bootstrapServers()));
        command.addAll(List.of(options));
        return PipeProcess.startSurviving(HEAP_MEGABYTES, command.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"client", "lean"})
    void recordLargerThanTheHeap_failsThePipe_namingItsPlace(String path) throws Exception {
        try (PipeProcess pipe = pipe("bomb", "fail-" + path, "--fetch", path)) {
            assertThat(pipe.exitCode(LONGEST)).as(pipe.err()).isEqualTo(1);
            assertThat(pipe.err()).contains("bomb-0@1", "--unreadable-batches");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"client", "lean"})
    void recordLargerThanTheHeap_skipped_theOthersAreWritten(String path) throws Exception {
        String name = "skip-" + path;
        try (PipeProcess pipe =
                pipe("bomb", name, "--fetch", path, "--unreadable-batches", "skip", "--until-end", "--json")) {
            assertThat(pipe.exitCode(LONGEST)).as(pipe.err()).isZero();
        }
        assertThat(cluster.endOffsets(name)).containsEntry(new TopicPartition(name, 0), 2L);
        assertThat(cluster.committedOffsets(name)).isEqualTo(cluster.endOffsets("bomb"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"client", "lean"})
    void recordLargerThanTheHeap_withADeadLetterTopic_isADeadLetter(String path) throws Exception {
        String name = "letter-" + path;
        cluster.createTopic(name + "-dead", 1);
        try (PipeProcess pipe =
                pipe("bomb", name, "--fetch", path, "--dead-letter", name + "-dead", "--until-end", "--json")) {
            assertThat(pipe.exitCode(LONGEST)).as(pipe.err()).isZero();
        }
        assertThat(cluster.endOffsets(name)).containsEntry(new TopicPartition(name, 0), 2L);
        assertThat(FailureTopics.read(cluster, name + "-dead")).hasSize(1);
        assertThat(cluster.committedOffsets(name)).isEqualTo(cluster.endOffsets("bomb"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"many", "headers"})
    void batchLargerThanTheHeap_onTheClientPath_isReadRecordByRecord(String from) throws Exception {
        try (PipeProcess pipe = pipe(from, from + "-client", "--fetch", "client", "--until-end", "--json")) {
            assertThat(pipe.exitCode(LONGEST)).as(pipe.err()).isZero();
            assertThat(pipe.out()).contains("\"records_out\":200");
        }
    }

    // Regression: the message said that memory ran out, but did not name the record.
    @Test
    void recordLargerThanTheHeap_isNamedByCommandsThatReadRecords() throws Exception {
        try (PipeProcess consume = command("consume", "--topic", "bomb")) {
            assertThat(consume.exitCode(LONGEST)).as(consume.err()).isEqualTo(1);
            assertThat(consume.err()).contains("bomb-0@1 does not fit into the heap", "--from", "WEIR_OPTS");
            assertThat(consume.out()).contains("0:0\t");
        }
        try (PipeProcess replay =
                command("replay", "--dead-letter", "bomb", "--allow-topic", "*", "--group", "g", "--json")) {
            assertThat(replay.exitCode(LONGEST)).as(replay.err()).isEqualTo(1);
            assertThat(replay.err()).contains("bomb-0@1 does not fit into the heap", "WEIR_OPTS");
            assertThat(replay.out()).contains("\"letters_read\":1,");
        }
        assertThat(cluster.committedOffsets("g")).containsEntry(new TopicPartition("bomb", 0), 1L);
    }

    // Regression: commands that read records ran out of memory.
    @Test
    void batchLargerThanTheHeap_doesNotEndCommandsThatReadRecords() throws Exception {
        try (PipeProcess consume = command("consume", "--topic", "many", "--max", "60")) {
            assertThat(consume.exitCode(LONGEST)).as(consume.err()).isZero();
        }
        try (PipeProcess replay = command("replay", "--dead-letter", "many", "--allow-topic", "*", "--json")) {
            assertThat(replay.exitCode(LONGEST)).as(replay.err()).isEqualTo(1);
            assertThat(replay.out()).contains("\"letters_read\":200", "\"unsendable\":200");
        }
    }

    @Test
    void batchLargerThanTheHeap_onTheLeanPath_isNamed() throws Exception {
        try (PipeProcess pipe = pipe("many", "many-lean", "--fetch", "lean", "--until-end")) {
            assertThat(pipe.exitCode(LONGEST)).as(pipe.err()).isEqualTo(1);
            assertThat(pipe.err()).contains("many-0@0", "--max-batch-bytes");
        }
    }
}
