package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir demo --tune} as its user starts it. Speeds and gains are nobody's promise here: their shape is. */
@Timeout(180)
class DemoTuneTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path temporary;

    private @Nullable Process started;

    @AfterEach
    void endProcess() {
        if (started != null) {
            started.destroyForcibly();
        }
    }

    @Test
    void tune_goesFromTheNaiveToTodaysPipeline_withEqualOutputs() throws Exception {
        List<JsonNode> lines = run("--events", "2000");

        List<JsonNode> steps = steps(lines);
        assertThat(steps).hasSizeGreaterThanOrEqualTo(5);
        assertThat(steps.getFirst().get("change").textValue()).contains("java.net.URI", "one thread");
        assertThat(steps.subList(1, 4))
                .extracting(step -> step.get("change").textValue())
                .anySatisfy(change -> assertThat(change).startsWith("JSON"))
                .anySatisfy(change -> assertThat(change).startsWith("URLs"))
                .anySatisfy(change -> assertThat(change).startsWith("LZ-string"));
        assertThat(steps.getLast().get("change").textValue()).contains("today's pipeline");
        assertSummary(lines, steps);
    }

    @Test
    void waiting_putsTheLookupsOnTheDispatcherOfTheFile_withEqualOutputs() throws Exception {
        List<JsonNode> lines = run("--waiting", "--events", "300");

        List<JsonNode> steps = steps(lines);
        assertThat(steps).hasSizeGreaterThanOrEqualTo(3);
        assertThat(steps.get(0).get("limiter").get("kind").textValue()).isEqualTo("stage-wait");
        assertThat(steps.get(1).get("change").textValue()).contains("on dispatcher lookups");
        assertSummary(lines, steps);
    }

    /** All steps in their order, each with what a program may rely on. */
    private static List<JsonNode> steps(List<JsonNode> lines) {
        assertThat(lines.getFirst().path("event").textValue()).isEqualTo("started");
        List<JsonNode> steps = lines.subList(1, lines.size() - 1);
        for (int i = 0; i < steps.size(); i++) {
            JsonNode step = steps.get(i);
            assertThat(step.path("event").textValue()).isEqualTo("step");
            assertThat(step.path("step").intValue()).isEqualTo(i + 1);
            assertThat(step.path("records_per_second").longValue()).isPositive();
            assertThat(step.path("expected_gain").doubleValue()).isPositive();
            assertThat(step.path("measured_gain").doubleValue()).isPositive();
            JsonNode limiter = step.path("limiter");
            assertThat(limiter.path("kind").asText()).isNotEmpty();
            assertThat(limiter.path("sentence").asText()).isNotEmpty();
            assertThat(limiter.path("advice").asText()).isNotEmpty();
            assertThat(limiter.path("expected_gain").doubleValue()).isGreaterThanOrEqualTo(1);
        }
        return steps;
    }

    private static void assertSummary(List<JsonNode> lines, List<JsonNode> steps) {
        JsonNode summary = lines.getLast();
        assertThat(summary.path("outputs_equal").booleanValue()).isTrue();
        assertThat(summary.path("steps").intValue()).isEqualTo(steps.size());
        assertThat(summary.path("total_gain").doubleValue()).isPositive();
        assertThat(summary.has("error")).isFalse();
    }

    private List<JsonNode> run(String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.weir.cli.Main",
                "demo",
                "--tune",
                "--json"));
        command.addAll(List.of(options));
        Path errors = temporary.resolve("stderr");
        Process process =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
        started = process;
        List<String> lines = process.inputReader().lines().toList();
        int exit = process.waitFor();
        assertThat(exit).as(Files.readString(errors)).isZero();
        List<JsonNode> parsed = new ArrayList<>();
        for (String line : lines) {
            parsed.add(JSON.readTree(line));
        }
        return parsed;
    }
}
