package dev.weir.checks.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the image's contents, and that its entry point is the command. */
class ImageTest {

    private static final int WRITABLE_BY_OTHERS = 0b000_010_010;

    @TempDir
    private static Path folder;

    private static Image image;
    private static List<String> entryPoint;

    @BeforeAll
    static void unpackImage() throws Exception {
        image = Image.open(Files.createDirectory(folder.resolve("image")));
        Path root = Files.createDirectory(folder.resolve("root"));
        image.unpack(root);
        entryPoint = image.command(root);
    }

    @Test
    void process_isTheJvmItself_andNotRoot() {
        assertThat(image.entryPoint())
                .startsWith("java")
                .contains("-XX:MaxRAMPercentage=50")
                .endsWith("dev.weir.cli.Weir")
                .noneMatch(word -> word.startsWith("-Xmx"));
        assertThat(image.config().required("User").asText()).matches("[1-9][0-9]*:[1-9][0-9]*");
        assertThat(image.config().required("WorkingDir").asText()).isEqualTo("/tmp");
        assertThat(image.config().required("Volumes").has("/tmp")).isTrue();
    }

    @Test
    void image_saysWhatItIs_andIsTheSameWheneverItIsMade() throws IOException {
        assertThat(image.tags()).anyMatch(tag -> tag.startsWith("weir:") && !tag.endsWith(":latest"));
        JsonNode labels = image.config().required("Labels");
        assertThat(labels.required("org.opencontainers.image.licenses").asText())
                .isEqualTo("Apache-2.0");
        assertThat(labels.required("org.opencontainers.image.version").asText()).isNotBlank();
        String pom = Files.readString(Image.ROOT.resolve("pom.xml"), StandardCharsets.UTF_8);
        assertThat(pom)
                .contains("<project.build.outputTimestamp>"
                        + image.description().required("created").asText() + "</project.build.outputTimestamp>");
    }

    @Test
    void layers_holdDependenciesBelowModules_andNothingThatOthersMayWrite() throws IOException {
        Map<String, Integer> layerOf = new HashMap<>();
        List<String> writable = new ArrayList<>();
        List<Long> times = new ArrayList<>();
        for (int layer = 0; layer < image.layers(); layer++) {
            int number = layer;
            image.readLayer(layer, (entry, content) -> {
                if (!entry.isDirectory()) {
                    layerOf.put(entry.getName(), number);
                    times.add(entry.getLastModifiedTime().toMillis());
                }
                if ((entry.getMode() & WRITABLE_BY_OTHERS) != 0 || entry.getLongUserId() != 0) {
                    writable.add(entry.getName());
                }
            });
        }
        assertThat(writable).isEmpty();
        long made =
                Instant.parse(image.description().required("created").asText()).toEpochMilli();
        assertThat(times).as("not the time of the build").isNotEmpty().allMatch(time -> time <= made);
        assertThat(layerOf.keySet()).anyMatch(name -> name.endsWith("/LICENSE"));
        int modules = layer(layerOf, "app/libs/weir-kafka-");
        assertThat(layer(layerOf, "app/libs/weir-cli")).isEqualTo(modules);
        assertThat(layer(layerOf, "app/libs/kafka-clients-")).isLessThan(modules);
        assertThat(layerOf.entrySet().stream().filter(e -> e.getValue() == modules))
                .as("a new build of Weir moves Weir's own jars only")
                .allMatch(e -> e.getKey().startsWith("app/libs/weir-"));
    }

    private static int layer(Map<String, Integer> layerOf, String prefix) {
        return layerOf.entrySet().stream()
                .filter(e -> e.getKey().startsWith(prefix))
                .mapToInt(Map.Entry::getValue)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + prefix + " in " + layerOf.keySet()));
    }

    /** A program that prints the heap, and Weir's default share of it. */
    static final class Memory {

        private Memory() {}

        public static void main(String[] args) {
            long buffer = ConsumerSettings.builder()
                    .bootstrapServers("none:1")
                    .build()
                    .bufferBytes();
            Object producer = ProducerSettings.builder()
                    .bootstrapServers("none:1")
                    .build()
                    .clientConfig()
                    .get("buffer.memory");
            System.out.println(Runtime.getRuntime().maxMemory() + " " + buffer + " " + producer);
        }
    }

    /** The rows of the guide's table. {@code MaxRAM} has the effect of a container's memory limit. */
    @ParameterizedTest
    @CsvSource({
        "512 MiB, 256 MiB, 32, 512m, 256",
        "1 GiB, 512 MiB, 64, 1g, 512",
        "2 GiB and more, 1 GiB and more, 128, 2g, 1024"
    })
    @Timeout(120)
    void memoryOfTheContainer_isHalfForTheHeap_andWhatIsInFlightFollows(
            String limit, String heap, double bufferMegabytes, String maxRam, double heapMegabytes) throws Exception {
        assertThat(Files.readString(Image.ROOT.resolve("docs/guide/kubernetes.md")))
                .contains("| " + limit + " | " + heap + " | " + Math.round(bufferMegabytes) + " MB | 32 MB |");
        List<String> command = new ArrayList<>(entryPoint.subList(0, entryPoint.indexOf("-cp")));
        // The JVM's choice on such a small machine. It reserves part of the heap.
        command.addAll(List.of("-XX:MaxRAM=" + maxRam, "-XX:+UseSerialGC"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Memory.class.getName()));
        Path said = folder.resolve("memory of " + maxRam);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(said.toFile())
                .start();
        assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
        List<Double> megabytes = Stream.of(Files.readString(said).strip().split(" "))
                .map(bytes -> Long.parseLong(bytes) / (1024.0 * 1024.0))
                .toList();
        assertThat(megabytes.get(0)).isCloseTo(heapMegabytes, withinPercentage(5));
        assertThat(megabytes.get(1)).isCloseTo(bufferMegabytes, withinPercentage(5));
        assertThat(megabytes.get(2)).isCloseTo(32.0, withinPercentage(5));
    }

    @Test
    @Timeout(120)
    void entryPoint_runsTheCommand_withTheClassPathOfItsLayers() throws Exception {
        List<String> command = new ArrayList<>(entryPoint);
        command.addAll(List.of("pipe", "--from=in"));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile())
                .start();
        try {
            assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
            String said = Files.readString(folder.resolve("said"));
            assertThat(process.exitValue()).as(said).isEqualTo(2);
            assertThat(said).contains("--bootstrap-server").doesNotContain("WARNING");
        } finally {
            process.destroyForcibly();
        }
    }
}
