package dev.weir.checks.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.bench.process.DriverCatalog;
import dev.weir.bench.workload.Workload;
import dev.weir.kafka.ConsumerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Unpacks the archive into a folder with spaces in its name, and runs its commands without Maven. */
@Timeout(400)
class ArchiveTest {

    /** Writes the origin of each loaded class to a file. */
    private static final String TRACE = "-Xlog:class+load=info:file=";

    /** A line of the list: licences in parentheses, name, artifact and address. */
    private static final Pattern THIRD_PARTY = Pattern.compile("^ +(\\(.*\\)) .*\\([^ :]+:([^ :]+):([^ :]+) - .*$");

    private static final Pattern LICENCE_TEXT =
            Pattern.compile("(META-INF/)?(LICENSE|LICENCE|COPYING)[^/]*", Pattern.CASE_INSENSITIVE);

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
        for (String same : List.of("LICENSE", "NOTICE")) {
            assertThat(root.resolve(same)).hasSameTextualContentAs(Published.ROOT.resolve(same));
        }
        for (String same : List.of("workloads/plain-consumer.yaml", "environments/two-processes.yaml")) {
            assertThat(root.resolve(same))
                    .hasSameTextualContentAs(Published.ROOT.resolve("bench").resolve(same));
        }
        for (String part : List.of("find-jdk.sh", "start-jvm.sh")) {
            assertThat(root.resolve("libexec").resolve(part))
                    .hasSameTextualContentAs(Published.ROOT.resolve(".mvn").resolve(part));
        }
        assertThat(root.resolve("bin/weir")).isExecutable();
        String readme = Files.readString(root.resolve("README.md"));
        for (String named : List.of("bin", "conf", "workloads", "drivers", "grafana", "lib", "libexec", "licenses")) {
            assertThat(readme).contains("`" + named + "/`");
            assertThat(root.resolve(named)).isNotEmptyDirectory();
        }
    }

    /** Each licence text must be in the jar, equal our licence, or be a separate file. */
    @Test
    void jarsOfOthers_haveTheirLicences() throws Exception {
        Map<String, String> listed = new TreeMap<>();
        Map<String, String> artifacts = new TreeMap<>();
        for (String line : Files.readAllLines(archive.root().resolve("licenses/THIRD-PARTY.txt"))) {
            var entry = THIRD_PARTY.matcher(line);
            if (entry.matches() && !entry.group(2).startsWith("weir-")) {
                String jar = entry.group(2) + "-" + entry.group(3) + ".jar";
                listed.put(jar, entry.group(1));
                artifacts.put(jar, entry.group(2));
            }
        }
        List<String> jars;
        try (Stream<Path> files = Files.list(archive.root().resolve("lib"))) {
            jars = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".jar") && !name.startsWith("weir"))
                    .toList();
        }
        assertThat(listed.keySet()).containsExactlyInAnyOrderElementsOf(jars);
        for (String jar : jars) {
            Path text = archive.root().resolve("licenses/" + artifacts.get(jar) + ".txt");
            assertThat(Files.isRegularFile(text)
                            || listed.get(jar).contains("Apache")
                            || hasLicence(archive.root().resolve("lib").resolve(jar)))
                    .as("%s: a text of %s", jar, listed.get(jar))
                    .isTrue();
        }
        try (Stream<Path> texts = Files.list(archive.root().resolve("licenses"))) {
            assertThat(texts.map(text -> text.getFileName().toString().replace(".txt", "")))
                    .as("texts of jars that are gone")
                    .filteredOn(name -> !name.equals("THIRD-PARTY"))
                    .isSubsetOf(artifacts.values());
        }
    }

    private static boolean hasLicence(Path file) throws IOException {
        try (JarFile jar = new JarFile(file.toFile())) {
            return jar.stream()
                    .anyMatch(entry -> LICENCE_TEXT.matcher(entry.getName()).matches());
        }
    }

    /** Includes the settings that the file comments out. */
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
        assertThatThrownBy(() -> drivers.entry("pekko"))
                .hasMessageStartingWith("there is no driver pekko")
                .hasMessageContainingAll("in a checkout of Weir", "--drivers");
        assertThat(Workload.read(archive.root().resolve("workloads/plain-consumer.yaml"), true))
                .isNotNull();
    }

    /**
     * Runs the commands one after the other. The first start creates the cache, and all later ones except help use it.
     */
    @Test
    void commands_workAsTheReadmeSays_withTheCacheOfTheFirst() throws Exception {
        assertThat(archive.run("--version")).contains("Weir " + Pom.parent().child("version"));
        assertThat(archive.cacheFiles())
                .singleElement()
                .satisfies(file -> assertThat(file).isNotEmptyFile());
        Path cache = archive.cacheFiles().get(0);

        Path loaded = own.resolve("loaded");
        try (Archive.Run run = archive.start(Map.of("WEIR_OPTS", TRACE + loaded), "--help")) {
            assertThat(run.succeeded()).contains("demo", "pipe", "bench", "broker");
            assertThat(run.err()).isEmpty();
        }
        assertThat(Files.readString(loaded))
                .contains("dev.weir.cli.Weir source: ")
                .doesNotContain("dev.weir.cli.Weir source: shared objects file", "picocli", "dev.weir.cli.Main");

        Path withCache = own.resolve("loaded-with-the-cache");
        try (Archive.Run run = archive.start(Map.of("WEIR_OPTS", TRACE + withCache), "--version")) {
            assertThat(run.succeeded()).contains("Weir ");
        }
        assertThat(Files.readString(withCache)).contains("dev.weir.cli.Weir source: shared objects file");

        try (Archive.Run run = archive.start(Map.of("WEIR_OPTS", "-Xshare:auto"), "--version")) {
            assertThat(run.succeeded()).contains("Weir ");
        }

        // The command is too short for the optimizing compiler.
        String out;
        try (Archive.Run run = archive.start(
                Map.of("WEIR_OPTS", "-XX:TieredStopAtLevel=1"),
                "demo",
                "--json",
                "--no-console",
                "--records",
                "5000")) {
            out = run.succeeded();
        }
        JsonNode summary = new ObjectMapper()
                .readTree(out.strip().lines().reduce((first, last) -> last).orElseThrow());
        assertThat(summary.path("records_in").asInt()).isEqualTo(5_000);
        for (String none : List.of("lost", "duplicates", "out_of_order", "misplaced", "foreign")) {
            assertThat(summary.path(none).isNumber()).as(none).isTrue();
            assertThat(summary.path(none).asInt()).as(none).isZero();
        }
        assertThat(archive.cacheFiles()).containsExactly(cache);

        Files.writeString(cache, "not a cache");
        try (Archive.Run run = archive.start(Map.of(), "--version")) {
            assertThat(run.succeeded()).contains("Weir ");
            assertThat(run.err()).isEmpty();
        }
    }

    @Tag("long")
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
}
