package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests dead-letter records that are too large for their topic. */
@Timeout(120)
class PipeDeadLetterSizeTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final int LARGE = 15;

    @BeforeAll
    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    static void createTopics() {
        KAFKA.cluster().createTopic("in", 1, Map.of("max.message.bytes", "2000000"));
        KAFKA.cluster().createTopic("out", 1, Map.of("cleanup.policy", "compact"));
        KAFKA.cluster().createTopic("dead", 1, Map.of("max.message.bytes", "50000"));
        ProducerRecord<byte[], byte[]>[] records = IntStream.range(0, LARGE)
                .mapToObj(n -> new ProducerRecord<byte[], byte[]>("in", 0, null, new byte[900_000]))
                .toArray(ProducerRecord[]::new);
        FailureTopics.produce(KAFKA.cluster(), records);
        FailureTopics.produce(KAFKA.cluster(), new ProducerRecord<>("in", 0, null, "small".getBytes(UTF_8)));
    }

    private static String[] args(String group, String... more) {
        String fixed = "pipe --bootstrap-server " + KAFKA.bootstrapServers()
                + " --from in --to out --dead-letter dead --until-end --json --group " + group;
        return Stream.concat(Arrays.stream(fixed.split(" ")), Arrays.stream(more))
                .toArray(String[]::new);
    }

    // Regression: records with cut values counted as ordinary dead-letter records, without a warning.
    @Test
    void letters_thatAreCut_areWarnedOfAndCountedInTheSummary() {
        WeirCommand pipe = WeirCommand.run(args("cut"));
        assertThat(pipe.exitCode()).as(pipe.err()).isZero();
        assertThat(PipeProcess.number(pipe.out(), "dead_lettered")).isEqualTo(LARGE + 1);
        assertThat(PipeProcess.number(pipe.out(), "dead_letters_cut")).isEqualTo(LARGE);
        assertThat(pipe.err()).contains("15 of the dead-letter records were too large for their topic");
    }

    @Test
    void letter_thatMayNotBeCut_failsThePipeNamingTheRecord() {
        WeirCommand pipe = WeirCommand.run(args("fail", "--dead-letter-too-large", "fail"));
        assertThat(pipe.exitCode()).isEqualTo(1);
        assertThat(pipe.err())
                .containsPattern("the dead-letter record of in-0@\\d+, .* too large for topic dead")
                .doesNotContain("\tat ");
    }
}
