package dev.weir.checks.release;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.bench.process.DriverCatalog;
import dev.weir.bench.workload.Workload;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The archive, unpacked in a folder with spaces in its name, and its commands run as a user does. */
@Timeout(400)
class ArchiveTest {

    /** Writes where each class came from into a file. */
    private static final String TRACE = "-Xlog:class+load=info:file=";

    @TempDir
    private static Path folder;

    @TempDir
    private Path own;

    private static Archive archive;

    @BeforeAll
    static void unpack() throws Exception {
        archive = Archive.unpackedIn(Files.createDirectories(folder.resolve("a folder of mine")));
    }

    @Test
    void contents_areWhatTheReadmeSays() throws Exception {
        Path root = archive.root();
        for (String same : List.of("LICENSE", "NOTICE", "workloads/plain-consumer.yaml")) {
            assertThat(root.resolve(same)).hasSameTextualContentAs(Published.ROOT.resolve(same));
        }
        assertThat(root.resolve("libexec/find-jdk.sh"))
                .hasSameTextualContentAs(Published.ROOT.resolve(".mvn/find-jdk.sh"));
        assertThat(root.resolve("bin/weir")).isExecutable();
        String readme = Files.readString(root.resolve("README.md"));
        for (String named : List.of("bin", "conf", "workloads", "drivers", "grafana", "lib", "libexec")) {
            assertThat(readme).contains("`" + named + "/`");
            assertThat(root.resolve(named)).isNotEmptyDirectory();
        }
    }

    /** What is commented out there would be accepted too. */
    @Test
    void configuration_thatComesAlong_isAccepted() throws Exception {
        Path whole = own.resolve("whole.properties");
        Files.writeString(
                whole,
                "bootstrap.servers=localhost:9092\n"
                        + Files.readString(archive.root().resolve("conf/client.properties"))
                                .replaceAll("(?m)^#(?=[a-z.]+=)", ""));
        var settings = ConsumerSettings.builder().from(whole).build();
        var defaults = ConsumerSettings.builder().bootstrapServers("localhost:9092");
        settings.properties().forEach(defaults::property);
        assertThat(settings.properties()).containsKey("group.instance.id");
        assertThat(settings).hasToString(defaults.build().toString());
    }

    @Test
    void drivers_thatComeAlong_haveAllTheyNeed() throws Exception {
        DriverCatalog drivers = DriverCatalog.below(archive.root());
        Path lib = archive.root().resolve("lib");
        for (String name : List.of("plain", "weir", "lean", "asimov-sequential")) {
            assertThat(drivers.entry(name).classPath()).as(name).contains(lib.toString(), "kafka-clients-");
        }
        assertThat(Workload.read(archive.root().resolve("workloads/plain-consumer.yaml"), true))
                .isNotNull();
    }

    @Test
    void versionAndHelp_comeFromTheArchive() throws Exception {
        assertThat(archive.run("--version")).contains("Weir " + Pom.parent().child("version"));
        assertThat(archive.run("--help")).contains("demo", "pipe", "bench", "broker");
    }

    @Test
    void demo_provesThatNothingWasLost() throws Exception {
        String out = archive.run("demo", "--json", "--no-console", "--records", "20000");
        JsonNode summary = new ObjectMapper()
                .readTree(out.strip().lines().reduce((first, last) -> last).orElseThrow());
        assertThat(summary.path("records_in").asInt()).isEqualTo(20_000);
        for (String none : List.of("lost", "duplicates", "out_of_order", "misplaced", "foreign")) {
            assertThat(summary.path(none).isNumber()).as(none).isTrue();
            assertThat(summary.path(none).asInt()).as(none).isZero();
        }
    }

    @Test
    void pipe_copiesThroughACommand() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().start()) {
            cluster.createTopic("in", 2);
            cluster.createTopic("out", 2);
            Records.produce(cluster.bootstrapServers(), "in", 0, 1_000);
            String summary = archive.run(
                    "pipe",
                    "--bootstrap-server",
                    cluster.bootstrapServers(),
                    "--from",
                    "in",
                    "--to",
                    "out",
                    "--group",
                    "g",
                    "--via",
                    "exec:cat",
                    "--until-end",
                    "--json",
                    "--client-config",
                    archive.root().resolve("conf/client.properties").toString());
            assertThat(summary).contains("\"drained\":true");
            assertThat(Records.numbers(
                                    Records.readAll(cluster.bootstrapServers(), "out", IsolationLevel.READ_UNCOMMITTED))
                            .stream()
                            .sorted()
                            .toList())
                    .isEqualTo(LongStream.range(0, 1_000).boxed().toList());
        }
    }

    @Test
    void broker_servesUntilItIsStopped() throws Exception {
        try (Archive.Run broker = archive.start(Map.of(), "broker", "--port", "0", "--topic", "t:1")) {
            await(broker, broker.outFile());
            String address = broker.out().strip();
            Records.produce(address, "t", 0, 10);
            assertThat(Records.readAll(address, "t", IsolationLevel.READ_UNCOMMITTED))
                    .hasSize(10);
            // The launcher became the JVM, so this is a signal for Weir.
            broker.process().destroy();
            broker.succeeded();
        }
    }

    @Test
    void bench_measuresWithTheDriversOfTheArchive() throws Exception {
        Path workload = Files.writeString(own.resolve("tiny.yaml"), """
            name: tiny
            scenario: at-least-once
            drivers: [plain, weir]
            topic: {partitions: 2, records: 20000, valueBytes: 50}
            method: {rounds: 1, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2, measureSeconds: 0.2, intervalMillis: 20}
            """);
        String out = archive.run(
                "bench",
                "run",
                workload.toString(),
                "--json",
                "--data",
                own.resolve("data").toString(),
                "--results",
                own.resolve("results").toString());
        assertThat(out).contains("\"driver\":\"weir\"", "\"driver\":\"plain\"");
    }

    @Test
    void cache_isMadeOnce_andUsedByLaterStarts() throws Exception {
        Archive fresh = archive.withHome(own.resolve("a home"));
        fresh.run("--version");
        assertThat(fresh.cacheFiles())
                .singleElement()
                .satisfies(file -> assertThat(file).isNotEmptyFile());
        Path cache = fresh.cacheFiles().get(0);
        var made = Files.getLastModifiedTime(cache);
        Path loaded = own.resolve("loaded");
        try (Archive.Run run = fresh.start(Map.of("WEIR_OPTS", TRACE + loaded), "--version")) {
            run.succeeded();
            assertThat(run.err()).isEmpty();
        }
        assertThat(Files.readString(loaded)).containsPattern("dev\\.weir\\.cli\\.Main source: shared objects file");
        assertThat(fresh.cacheFiles()).containsExactly(cache);
        assertThat(Files.getLastModifiedTime(cache)).isEqualTo(made);
    }

    @Test
    void cache_thatIsNotWanted_orHasNoPlace_isNotMade() throws Exception {
        Archive fresh = archive.withHome(own.resolve("home"));
        try (Archive.Run run = fresh.start(Map.of("WEIR_AOT", "off"), "--version")) {
            run.succeeded();
        }
        Path file = Files.createFile(own.resolve("a file, no folder"));
        try (Archive.Run run = fresh.start(Map.of("XDG_CACHE_HOME", file.toString()), "--version")) {
            assertThat(run.succeeded()).contains("Weir ");
            assertThat(run.err()).isEmpty();
        }
        assertThat(fresh.caches()).doesNotExist();
    }

    @Test
    void cache_thatIsBroken_isIgnored() throws Exception {
        Archive fresh = archive.withHome(own.resolve("home"));
        fresh.run("--version");
        Path cache = fresh.cacheFiles().get(0);
        Files.writeString(cache, "not a cache");
        try (Archive.Run run = fresh.start(Map.of(), "--version")) {
            assertThat(run.succeeded()).contains("Weir ");
            assertThat(run.err()).isEmpty();
        }
    }

    @Test
    void startsAtOnce_makeOneCache() throws Exception {
        Archive fresh = archive.withHome(own.resolve("home"));
        try (Archive.Run first = fresh.start(Map.of(), "--version");
                Archive.Run second = fresh.start(Map.of(), "--version");
                Archive.Run third = fresh.start(Map.of(), "--version")) {
            for (Archive.Run run : List.of(first, second, third)) {
                assertThat(run.succeeded()).contains("Weir ");
                assertThat(run.err()).isEmpty();
            }
        }
        assertThat(fresh.cacheFiles())
                .singleElement()
                .satisfies(file -> assertThat(file).isNotEmptyFile());
    }

    /** A lock that a killed start left holds up no command, and the next start but one makes the cache. */
    @Test
    void lockOfAStartThatWasKilled_isTakenAway() throws Exception {
        Archive fresh = archive.withHome(own.resolve("home"));
        fresh.run("--version");
        Path cache = fresh.cacheFiles().get(0);
        Files.delete(cache);
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        Files.createSymbolicLink(
                cache.resolveSibling(cache.getFileName() + ".lock"), Path.of(Long.toString(gone.pid())));
        fresh.run("--version");
        assertThat(fresh.cacheFiles()).isEmpty();
        fresh.run("--version");
        assertThat(fresh.cacheFiles()).containsExactly(cache);
    }

    private static void await(Archive.Run run, Path line) throws Exception {
        long deadline = System.nanoTime() + Archive.PATIENCE.toNanos();
        while (!Files.readString(line).endsWith("\n")) {
            assertThat(run.process().isAlive() && System.nanoTime() < deadline)
                    .as(run.err())
                    .isTrue();
            LockSupport.parkNanos(10_000_000);
        }
    }
}
