package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.FetchPath;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills and freezes {@code weir pipe --guarantee exactly-once}. Checks what a reader with read_committed sees. {@link
 * OnThreeBrokersExactlyOncePipeTest} uses more brokers and kills.
 */
class ExactlyOncePipeTest {

    /**
     * The time limit for a process to start, and for the session of a killed one to expire. Usually far less is needed.
     */
    private static final Duration START = Duration.ofMinutes(1);

    static KafkaCluster cluster;

    @TempDir
    Path folder;

    @BeforeAll
    static void startCluster() {
        cluster = KafkaCluster.builder().start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @Test
    @Timeout(180)
    void kill_twice_eachInputIsSeenOnceAndInOrder() {
        killAtRandom("killed", 50_000, 2, FetchPath.CLIENT, FetchPath.LEAN);
    }

    /** Kills {@code kills} processes, which use the fetch paths in turn. Another process finishes the work. */
    static void killAtRandom(String name, int count, int kills, FetchPath... paths) {
        createTopics(name, count);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        long written = 0;
        long longest = 0;
        for (int kill = 0; kill < kills; kill++) {
            long until = written + 1_000 + random.nextInt(count / (2 * kills));
            String[] args = args(name, paths[kill % paths.length], "--work", "1ms", "--concurrency", "32");
            try (PipeProcess pipe = PipeProcess.start(args)) {
                long begin = System.nanoTime();
                awaitWritten(name + "-out", written + 100, pipe); // more than the number of abort markers
                longest = Math.max(longest, System.nanoTime() - begin);
                awaitWritten(name + "-out", until, pipe);
                pipe.kill();
            }
            written = written(name + "-out");
        }
        assertThat(Duration.ofNanos(longest))
                .as("from the start of a process to its first records, behind a transaction that the dead one had open")
                .isLessThan(Duration.ofSeconds(20)); // at most 30 s for a transaction plus 6 s for a session
        String summary = WeirCommand.output(args(name, paths[0], "--until-end", "--json"));
        assertThat(summary)
                .as("seed %s", seed)
                .contains(
                        "\"guarantee\":\"exactly-once\"",
                        "\"drained\":true",
                        "\"transactions\":{\"committed\":",
                        "\"rewound_records\":",
                        "\"commit_ms\":{\"p50\":")
                .doesNotContain("\"latency_ms\":{\"p50\":null");
        ExactlyOnceLedger.assertEachOnceInOrderOfItsKey(cluster, name + "-out", count);
        assertThat(cluster.committedOffsets(name)).isEqualTo(cluster.endOffsets(name + "-in"));
    }

    /** The frozen process has uncommitted writes, and resumes. A reader must not see any of its writes. */
    @Test
    @Timeout(180)
    void freeze_pastTheTransactionTimeout_whileAnotherTakesOver_isNotSeen() throws Exception {
        int count = 30_000;
        FetchPath path = OnLeanPath.current();
        createTopics("frozen", count);
        Path config = folder.resolve("client.properties");
        Files.writeString(config, "transaction.timeout.ms=5000\n");
        try (PipeProcess frozen = PipeProcess.start(
                args("frozen", path, "--work", "1ms", "--concurrency", "32", "--client-config", config.toString()))) {
            awaitWritten("frozen-out", 3_000, frozen);
            frozen.signal("STOP");
            long atFreeze = cluster.committedOffsets("frozen").values().stream()
                    .mapToLong(offset -> offset)
                    .sum();
            try (PipeProcess other = PipeProcess.start(args("frozen", path, "--work", "1ms", "--concurrency", "32"))) {
                Awaitility.await()
                        .atMost(START)
                        .until(() -> cluster.committedOffsets("frozen").values().stream()
                                                .mapToLong(offset -> offset)
                                                .sum()
                                        > atFreeze + 5_000
                                || !other.isAlive());
                frozen.signal("CONT");
                Awaitility.await()
                        .atMost(START)
                        .until(() -> cluster.committedOffsets("frozen").equals(cluster.endOffsets("frozen-in"))
                                || !other.isAlive());
                other.signal("TERM");
                assertThat(other.exitCode(START)).as(other.err()).isZero();
            }
            frozen.signal("TERM");
            assertThat(frozen.exitCode(START)).as(frozen.err()).isZero();
        }
        ExactlyOnceLedger.assertEachOnceInOrderOfItsKey(cluster, "frozen-out", count);
    }

    private static void createTopics(String name, int records) {
        cluster.createTopic(name + "-in", 4);
        cluster.createTopic(name + "-out", 4);
        Records.produce(cluster.bootstrapServers(), name + "-in", 0, records, ExactlyOnceLedger.KEYS);
    }

    private static String[] args(String name, FetchPath path, String... more) {
        String fixed = "pipe --bootstrap-server " + cluster.bootstrapServers() + " --from " + name + "-in --to " + name
                + "-out --group " + name + " --guarantee exactly-once --commit-interval 50ms --fetch "
                + path.name().toLowerCase(Locale.ROOT);
        return Stream.concat(Arrays.stream(fixed.split(" ")), Arrays.stream(more))
                .toArray(String[]::new);
    }

    private static long written(String topic) {
        return cluster.endOffsets(topic).values().stream().mapToLong(end -> end).sum();
    }

    private static void awaitWritten(String topic, long records, PipeProcess pipe) {
        Awaitility.await()
                .atMost(START)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> written(topic) >= records || !pipe.isAlive());
        assertThat(pipe.isAlive()).as(pipe.err()).isTrue();
    }
}
