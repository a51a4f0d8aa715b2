package dev.weir.checks.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs the pods of the manifests against a broker under load. Rolling restarts and scaling must lose or duplicate
 * nothing.
 */
class RollingTest {

    private static final int PARTITIONS = 6;
    private static final Duration SOON = Duration.ofMinutes(3);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    @TempDir
    private static Path folder;

    private static List<String> entryPoint;

    @BeforeAll
    static void unpackImage() throws Exception {
        Image image = Image.open(Files.createDirectory(folder.resolve("image")));
        Path root = Files.createDirectory(folder.resolve("root"));
        image.unpack(root);
        entryPoint = image.command(root);
    }

    /**
     * Returns pods with a team's overlay: brokers, topics and group. Their JVMs are small, because many run on one
     * machine.
     */
    private static Pods pods(Variant variant, String name) {
        KAFKA.cluster().createTopic(name + "-in", PARTITIONS);
        KAFKA.cluster().createTopic(name + "-out", PARTITIONS);
        Map<String, String> settings = Map.of(
                "WEIR_BOOTSTRAP_SERVER",
                KAFKA.bootstrapServers(),
                "WEIR_FROM",
                name + "-in",
                "WEIR_TO",
                name + "-out",
                "WEIR_GROUP",
                name,
                "JDK_JAVA_OPTIONS",
                "-Xmx192m -XX:+UseSerialGC -XX:TieredStopAtLevel=1");
        return new Pods(variant, entryPoint, settings, folder.resolve(name));
    }

    private static long written(String topic) {
        return KAFKA.cluster().endOffsets(topic).values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private static void awaitWritten(String name, long count) {
        Awaitility.await()
                .atMost(SOON)
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> assertThat(written(name + "-out")).isGreaterThanOrEqualTo(count));
    }

    /** Checks that each record was written once, after all pods have ended. */
    private static void assertEachWrittenOnce(String name, long count, boolean inOrder) {
        List<ConsumerRecord<byte[], byte[]>> records =
                Records.readAll(KAFKA.bootstrapServers(), name + "-out", IsolationLevel.READ_UNCOMMITTED);
        List<Long> numbers = Records.numbers(records);
        if (inOrder) {
            assertThat(numbers.stream().collect(Collectors.groupingBy(number -> number % Load.KEYS)))
                    .allSatisfy((key, each) -> assertThat(each).isSorted());
        }
        assertThat(numbers.stream().sorted().toList())
                .isEqualTo(LongStream.range(0, count).boxed().toList());
    }

    @Tag("long")
    @Test
    @Timeout(600)
    void deployment_rolledUnderLoad_losesAndRepeatsNothing() throws Exception {
        try (Pods pods = pods(Variant.BASE, "rolled");
                Load load = new Load(KAFKA.bootstrapServers(), "rolled-in", "none")) {
            pods.scaleTo(pods.replicas());
            awaitWritten("rolled", 1);
            assertThat(pods.running()).hasSize(3).allSatisfy(pod -> {
                assertThat(pod.liveness()).isEqualTo(200);
                assertThat(pod.metrics())
                        .contains(
                                "weir_consumer_lag_seconds{",
                                "weir_stage_busy_seconds_total{",
                                "weir_stage_parallelism{",
                                "weir_pipeline_running{");
            });
            pods.roll();
            awaitWritten("rolled", load.sent());
            long count = load.stop();
            awaitWritten("rolled", count);
            pods.scaleTo(0);
            assertEachWrittenOnce("rolled", count, true);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    @Timeout(1_200)
    void workload_rolledAndScaledToFiveAndBackToOne_losesAndRepeatsNothing(Variant variant) throws Exception {
        String name = "scaled-" + variant.folder().getFileName();
        try (Pods pods = pods(variant, name);
                Load load = new Load(KAFKA.bootstrapServers(), name + "-in", "none")) {
            pods.scaleTo(pods.replicas());
            awaitWritten(name, 1);
            pods.roll();
            pods.scaleTo(5);
            awaitWritten(name, load.sent());
            pods.scaleTo(1);
            awaitWritten(name, load.sent());
            long count = load.stop();
            awaitWritten(name, count);
            pods.scaleTo(0);
            assertEachWrittenOnce(name, count, variant != Variant.SHARE_GROUP);
        }
    }
}
