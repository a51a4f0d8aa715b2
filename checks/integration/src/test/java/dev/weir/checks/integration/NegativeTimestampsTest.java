package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.RetryTopics;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests records with negative timestamps, which brokers accept. Regression: such a record ended each pipe, even with a
 * dead-letter topic.
 */
@Timeout(120)
class NegativeTimestampsTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final long YEAR_ONE = -62_135_596_800_000L;

    /** Recent enough for the broker to keep the record. */
    private static final long RECENT = System.currentTimeMillis() - 3_600_000;

    private static final List<Long> TIMESTAMPS = List.of(YEAR_ONE, -2L, -1L, Long.MIN_VALUE / 2, RECENT);

    @BeforeAll
    static void write() {
        KafkaCluster cluster = KAFKA.cluster();
        cluster.createTopic("in", 1, Map.of("retention.ms", "-1"));
        for (int n = 0; n < TIMESTAMPS.size(); n++) {
            RawProducer.write(cluster, "in", "k" + n, "v" + n, TIMESTAMPS.get(n));
        }
        assertThat(FailureTopics.read(cluster, "in"))
                .extracting(record -> record.timestamp())
                .isEqualTo(TIMESTAMPS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--dead-letter dead", "--fetch lean --produce lean", "--guarantee exactly-once"})
    void copy_ofNegativeTimestamps_givesTheRecordsTheTimeOfWriting(String options) {
        String name = "copy" + options.hashCode();
        KAFKA.cluster().createTopic(name, 1);
        if (options.contains("dead-letter")) {
            KAFKA.cluster().createTopic("dead", 1);
        }
        String fixed = "pipe --bootstrap-server " + KAFKA.bootstrapServers() + " --from in --to " + name
                + " --until-end --json --group " + name + " " + options;

        String summary = WeirCommand.output(fixed.split(" "));

        assertThat(PipeProcess.number(summary, "records_out")).isEqualTo(TIMESTAMPS.size());
        var output = FailureTopics.read(KAFKA.cluster(), name);
        assertThat(output)
                .extracting(FailureTopics::value)
                .containsExactlyElementsOf(Stream.iterate(0, n -> n + 1)
                        .limit(TIMESTAMPS.size())
                        .map(n -> "v" + n)
                        .toList());
        assertThat(output.getLast().timestamp()).isEqualTo(RECENT);
        assertThat(output.subList(0, TIMESTAMPS.size() - 1))
                .allSatisfy(record -> assertThat(record.timestamp()).isGreaterThan(RECENT));
    }

    @Test
    void failure_ofNegativeTimestamps_goesThroughRetriesToLettersThatCanBeSentBack() throws InterruptedException {
        KafkaCluster cluster = KAFKA.cluster();
        for (String topic : List.of("again", "letters", "replayed")) {
            cluster.createTopic(topic, 1);
        }
        var settings = ConsumerSettings.builder(new ByteArrayDeserializer(), new ByteArrayDeserializer())
                .bootstrapServers(KAFKA.bootstrapServers())
                .groupId("failing")
                .build();

        var running = KafkaFlow.from(settings, "in")
                .<String>handle(4, RecordOrdering.byKey(), record -> {
                    throw new IllegalStateException("always");
                })
                .retryTopics(RetryTopics.of("again", Duration.ofMillis(1)))
                .deadLetter("letters")
                .run();
        Awaitility.await()
                .atMost(60, TimeUnit.SECONDS)
                .until(() -> FailureTopics.read(cluster, "letters").size() == TIMESTAMPS.size());
        assertThat(running.drain(Duration.ofSeconds(30)).drained()).isTrue();

        List<DeadLetterRecord> deadLetters = FailureTopics.deadLetters(cluster, "letters");
        assertThat(deadLetters).allSatisfy(deadLetter -> {
            int n = Integer.parseInt(new String(deadLetter.record().key(), UTF_8).substring(1));
            assertThat(deadLetter.restored().timestamp()).isEqualTo(TIMESTAMPS.get(n) < 0 ? null : TIMESTAMPS.get(n));
            assertThat(deadLetter.offset()).isEqualTo(n);
        });
        String replay =
                "replay --bootstrap-server " + KAFKA.bootstrapServers() + " --dead-letter letters --to replayed --json";
        assertThat(PipeProcess.number(WeirCommand.output(replay.split(" ")), "letters_sent"))
                .isEqualTo(TIMESTAMPS.size());
    }
}
