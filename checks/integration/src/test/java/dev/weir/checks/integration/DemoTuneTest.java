package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir demo --tune} as its user starts it. Speeds and gains are nobody's promise here: their shape is. */
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
    void tune_goesFromNaiveCodeToTodays_withEqualOutputs() throws Exception {
        List<JsonNode> lines = run("--records", "2000");

        List<JsonNode> steps = steps(lines);
        assertThat(steps).hasSizeGreaterThanOrEqualTo(4);
        assertThat(steps.getFirst().get("change").textValue()).contains("java.net.URI", "one thread");
        assertThat(steps.subList(1, 4))
                .extracting(step -> step.get("change").textValue())
                .anySatisfy(change -> assertThat(change).startsWith("JSON"))
                .anySatisfy(change -> assertThat(change).startsWith("URLs"))
                .anySatisfy(change -> assertThat(change).startsWith("LZ-string"));
        assertSummary(lines, steps);
    }

    @Test
    void waiting_putsTheLookupsOnTheDispatcherOfTheFile_withEqualOutputs() throws Exception {
        List<JsonNode> lines = run("--waiting", "--records", "300");

        List<JsonNode> steps = steps(lines);
        assertThat(steps.getFirst().get("change").textValue()).contains("wait 5 ms", "one thread");
        // What limits is seen in a few looks: another program may be in them, and then there is no second step.
        assertThat(steps.stream().skip(1).limit(1))
                .allSatisfy(step -> assertThat(step.get("change").textValue()).contains("on dispatcher lookups"));
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
            assertCompared(step, steps);
            JsonNode limiter = step.path("limiter");
            assertThat(limiter.path("kind").asText()).isNotEmpty();
            assertThat(limiter.path("sentence").asText()).isNotEmpty();
            assertThat(limiter.path("advice").asText()).isNotEmpty();
            assertThat(limiter.path("expected_gain").doubleValue()).isGreaterThanOrEqualTo(1);
        }
        return steps;
    }

    /** With an earlier step that was not taken back; in turns with it both are measured anew. */
    private static void assertCompared(JsonNode step, List<JsonNode> steps) {
        if (step.path("step").intValue() == 1) {
            assertThat(step.path("compared_with").isNull()).isTrue();
            assertThat(step.path("measured_gain").doubleValue()).isEqualTo(1);
            assertThat(step.path("verdict").textValue()).isEqualTo("first");
            return;
        }
        JsonNode before = steps.get(step.path("compared_with").intValue() - 1);
        assertThat(before.path("step").intValue()).isLessThan(step.path("step").intValue());
        assertThat(before.path("taken_back").booleanValue()).isFalse();
        if (!step.path("in_turns").booleanValue()) {
            assertGain(step.path("measured_gain"), step, before);
        }
        assertThat(step.path("verdict").textValue()).isIn("faster", "equal", "slower");
        if (step.path("taken_back").booleanValue()) {
            assertThat(step.path("measured_gain").doubleValue()).isLessThanOrEqualTo(1.03);
        }
    }

    private static void assertSummary(List<JsonNode> lines, List<JsonNode> steps) {
        JsonNode summary = lines.getLast();
        assertThat(summary.path("outputs_equal").booleanValue()).isTrue();
        assertThat(summary.path("steps").intValue()).isEqualTo(steps.size());
        JsonNode best = steps.get(summary.path("best_step").intValue() - 1);
        assertThat(best.path("taken_back").booleanValue()).isFalse();
        assertThat(summary.path("taken_back").longValue())
                .isEqualTo(steps.stream()
                        .filter(step -> step.path("taken_back").booleanValue())
                        .count());
        assertGain(summary.path("total_gain"), best, steps.getFirst());
        assertThat(summary.has("error")).isFalse();
    }

    /** The rates are rounded to whole records, the gain to hundredths. */
    private static void assertGain(JsonNode gain, JsonNode now, JsonNode before) {
        double nowRate = now.path("records_per_second").doubleValue();
        double beforeRate = before.path("records_per_second").doubleValue();
        assertThat(gain.doubleValue())
                .isBetween((nowRate - 0.5) / (beforeRate + 0.5) - 0.006, (nowRate + 0.5) / (beforeRate - 0.5) + 0.006);
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
