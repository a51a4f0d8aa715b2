package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code weir demo --tune}. Checks the form of the results, but no speeds or gains. */
@Timeout(420)
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
    @Tag("long")
    void tune_exchangesNaiveCode_withEqualOutputs() throws Exception {
        List<JsonNode> lines = run("--records", "20000");

        List<JsonNode> steps = steps(lines);
        assertThat(steps)
                .extracting(step -> step.get("change").textValue())
                .anySatisfy(change -> assertThat(change).isEqualTo("alternative.decompress 0 -> 1"));
        assertSummary(lines, steps);
        assertThat(lines.getLast().path("settings").has("alternative.decompress"))
                .isTrue();
    }

    @Test
    @Tag("long")
    void waiting_raisesTheWorkersOfTheLookups_withEqualOutputs() throws Exception {
        List<JsonNode> lines = run("--waiting", "--records", "10000");

        List<JsonNode> steps = steps(lines);
        assertSummary(lines, steps);
        assertThat(lines.getLast().path("settings").properties())
                .extracting(Map.Entry::getKey)
                .anySatisfy(control -> assertThat(control).startsWith("stage.look up "));
    }

    /** Returns all steps in order, after checking the fields that programs use. */
    private static List<JsonNode> steps(List<JsonNode> lines) {
        assertThat(lines.getFirst().path("event").textValue()).isEqualTo("started");
        List<JsonNode> steps = lines.subList(1, lines.size() - 1);
        for (int i = 0; i < steps.size(); i++) {
            JsonNode step = steps.get(i);
            assertThat(step.path("event").textValue()).isEqualTo("step");
            assertThat(step.path("step").intValue()).isEqualTo(i + 1);
            assertThat(step.path("expected_gain").doubleValue()).isPositive();
            assertThat(step.path("measured_gain").doubleValue()).isPositive();
            JsonNode limiter = step.path("limiter");
            assertThat(limiter.path("kind").asText()).isNotEmpty();
            assertThat(limiter.path("sentence").asText()).isNotEmpty();
        }
        assertThat(steps.getFirst().path("verdict").textValue()).isEqualTo("first");
        return steps;
    }

    private static void assertSummary(List<JsonNode> lines, List<JsonNode> steps) {
        JsonNode summary = lines.getLast();
        assertThat(summary.path("outputs_equal").booleanValue())
                .as("%s", summary)
                .isTrue();
        assertThat(summary.path("steps").intValue()).isEqualTo(steps.size());
        assertThat(summary.path("total_gain").doubleValue()).isGreaterThan(1);
        JsonNode best = steps.get(summary.path("best_step").intValue() - 1);
        assertThat(best.path("taken_back").booleanValue()).isFalse();
        assertThat(summary.has("error")).isFalse();
    }

    private List<JsonNode> run(String... options) throws IOException, InterruptedException {
        List<String> command = ChildJvm.command();
        command.addAll(List.of("dev.weir.cli.Main", "demo", "--tune", "--json"));
        command.addAll(List.of(options));
        Path errors = temporary.resolve("stderr");
        Path out = temporary.resolve("stdout");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(errors.toFile())
                .start();
        started = process;
        assertThat(process.waitFor(400, TimeUnit.SECONDS))
                .as("the end of the demo: %s", Files.readString(errors))
                .isTrue();
        assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
        List<JsonNode> parsed = new ArrayList<>();
        for (String line : Files.readAllLines(out)) {
            parsed.add(JSON.readTree(line));
        }
        return parsed;
    }
}
