package dev.weir.checks.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Tests the benchmark's image without a container engine, from its unpacked layers. */
class BenchImageTest {

    private static final String HOME = "/opt/weir/";

    @TempDir
    private static Path folder;

    private static Image image;
    private static Path root;

    @BeforeAll
    static void unpackImage() throws Exception {
        image = Image.open("bench/weir-bench-image", Files.createDirectory(folder.resolve("image")));
        root = Files.createDirectory(folder.resolve("root"));
        image.unpack(root);
    }

    private static Path at(String pathInImage) {
        return root.resolve(pathInImage.substring(1));
    }

    /**
     * Runs the entry point with these arguments, and returns its output. Paths of the image are replaced by their
     * unpacked locations.
     */
    private static String run(int expectedExitCode, List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>();
        Stream.concat(image.entryPoint().stream(), arguments.stream())
                .map(word -> word.startsWith(HOME) ? at(word).toString() : word)
                .forEach(command::add);
        Path results = Files.createDirectories(folder.resolve("results"));
        Path said = folder.resolve("said");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(results.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile());
        for (String variable : Image.texts(image.config().required("Env"))) {
            String[] parts = variable.split("=", 2);
            builder.environment().put(parts[0], parts[1].replace("/results", results.toString()));
        }
        builder.environment().put("WEIR_JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        try {
            assertThat(process.waitFor(280, TimeUnit.SECONDS)).isTrue();
            String output = Files.readString(said);
            assertThat(process.exitValue()).as(output).isEqualTo(expectedExitCode);
            return output;
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static List<String> arguments() {
        return Image.texts(image.config().required("Cmd"));
    }

    @Test
    void image_isOfAUserWithoutRights_whoseResultsAreAVolume() {
        assertThat(image.entryPoint()).containsExactly(HOME + "bin/weir", "bench");
        assertThat(image.config().required("User").asText()).matches("[1-9][0-9]*:[1-9][0-9]*");
        assertThat(image.config().required("WorkingDir").asText()).isEqualTo("/results");
        assertThat(image.config().required("Volumes").has("/results")).isTrue();
        assertThat(image.tags()).anyMatch(tag -> tag.startsWith("weir-bench:") && !tag.endsWith(":latest"));
        assertThat(at(HOME + "bin/weir")).isExecutable();
    }

    /** A driver whose manifest names a missing file would fail at its start, hours into a campaign. */
    @Test
    void eachDriver_hasAllThatItsManifestNames() throws Exception {
        List<String> drivers = new ArrayList<>();
        try (Stream<Path> jars = Files.list(at(HOME + "drivers"))) {
            for (Path jar : jars.toList()) {
                try (JarFile file = new JarFile(jar.toFile())) {
                    String needs = file.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
                    for (String needed : needs.split(" ", -1)) {
                        assertThat(jar.resolveSibling(needed).normalize())
                                .as(jar.toString())
                                .exists();
                    }
                }
                drivers.add(String.valueOf(jar.getFileName()).replaceFirst("-\\d.*", ""));
            }
        }
        assertThat(drivers)
                .contains("weir-driver-kafka", "weir-driver-weir", "weir-driver-lean")
                .contains("weir-driver-pekko", "weir-driver-reactor", "weir-driver-parallel-consumer");
    }

    @Test
    @Timeout(300)
    void entryPoint_knowsTheFourScenarios() throws Exception {
        List<String> arguments = new ArrayList<>(arguments());
        assertThat(arguments).hasSize(5).startsWith("compare");
        arguments.addAll(List.of("--simulate", "--quick"));
        String said = run(0, arguments);
        for (String scenario : List.of("plain-consumer", "at-least-once", "at-most-once", "producer")) {
            assertThat(said).contains(scenario);
        }
        try (Stream<Path> pages = Files.walk(folder.resolve("results"))) {
            assertThat(pages.filter(page -> page.endsWith("report.html"))).hasSize(4);
        }
    }

    /** Runs a small benchmark from the image's files: brokers, Weir and rivals. */
    @Test
    @Tag("long")
    @Timeout(300)
    void entryPoint_measuresWeirAndARival() throws Exception {
        Path workload = Files.writeString(folder.resolve("small.yaml"), """
                name: small
                scenario: consume
                drivers: [plain, weir, pekko, reactor]
                baseline: plain
                topic: {partitions: 2, records: 200000}
                method: {rounds: 1, control: false, minWarmUpSeconds: 1, maxWarmUpSeconds: 2, measureSeconds: 1}
                """);
        String said = run(0, List.of("compare", workload.toString(), "--json"));
        for (String driver : List.of("plain", "weir", "pekko", "reactor")) {
            assertThat(said).contains("\"driver\":\"" + driver + "\"");
        }
        assertThat(said).contains("\"runsFailed\":0").contains("\"complete\":true");
    }

    /** The cloud-init file for a new machine must load the image of the build, and its script must be valid. */
    @Test
    void cloudInit_runsTheImageThatIsBuilt() throws Exception {
        Path file = Image.ROOT.resolve("deploy/bench/cloud-init.yaml");
        assertThat(Files.readString(file)).startsWith("#cloud-config\n");
        JsonNode config = new ObjectMapper()
                .valueToTree(new Load(LoadSettings.builder().build()).loadFromString(Files.readString(file)));
        assertThat(config.required("packages")).extracting(JsonNode::asText).contains("docker.io", "curl");
        String settings =
                config.required("write_files").get(0).required("content").asText();
        assertThat(settings)
                .containsPattern("IMAGE="
                        + image.tags().stream()
                                .filter(tag -> !tag.endsWith(":latest"))
                                .findFirst()
                                .orElseThrow());
        JsonNode script = config.required("write_files").get(1);
        assertThat(config.required("runcmd").get(0).get(2).asText())
                .startsWith(script.required("path").asText());
        Process check = new ProcessBuilder("sh", "-n").redirectErrorStream(true).start();
        try (var in = check.getOutputStream()) {
            in.write(script.required("content").asText().getBytes(StandardCharsets.UTF_8));
        }
        String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(check.waitFor()).as(said).isZero();
        assertThat(script.required("content").asText())
                .contains("docker run --rm")
                .contains("chown " + image.config().required("User").asText() + " ")
                .contains(":" + image.config().required("WorkingDir").asText() + "\"");
    }
}
