package dev.weir.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.cli.CommandHarness;
import dev.weir.command.terminal.ExitCode;
import dev.weir.console.ConsoleServer;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.control.StageControl;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests {@code weir tune} on a pipeline of this process, through its console. */
@Timeout(120)
class TuneCommandTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final CommandHarness harness = new CommandHarness();
    private @Nullable RunningPipeline started;
    private @Nullable ConsoleServer served;

    private void start(Source<Integer> source, int workers) throws IOException {
        RunningPipeline running = source.mapBlocking(workers, Ordering.unordered(), element -> {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                    return element;
                })
                .named("look up")
                .to(Sink.ignore())
                .run();
        started = running;
        served = ConsoleServer.builder().start(running);
    }

    @AfterEach
    void end() {
        if (started != null) {
            started.cancel();
        }
        if (served != null) {
            served.close();
        }
    }

    private String address() {
        return Objects.requireNonNull(served).uri().toString();
    }

    private int workers() {
        return Objects.requireNonNull(started)
                .handles(StageControl.class)
                .getFirst()
                .parallelism();
    }

    private List<JsonNode> lines() throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : harness.out().lines().toList()) {
            lines.add(JSON.readTree(line));
        }
        return lines;
    }

    @Test
    void tune_raisesTheWorkersOfAWaitingStage_andTellsEachStep() throws Exception {
        start(Source.repeat(1), 2);

        int code = harness.run("tune", address(), "--window=300ms", "--max-steps=3", "--json");

        assertThat(code).as(harness.err()).isEqualTo(ExitCode.DONE);
        assertThat(workers()).isGreaterThanOrEqualTo(4);
        List<JsonNode> lines = lines();
        assertThat(lines).hasSize(4);
        for (JsonNode step : lines.subList(0, 3)) {
            assertThat(step.path("event").asText()).isEqualTo("step");
            assertThat(step.path("change").asText()).isNotEmpty();
            assertThat(step.path("records_per_second").asLong()).isPositive();
            assertThat(step.path("expected_gain").asDouble()).isGreaterThanOrEqualTo(1);
            assertThat(step.path("measured_gain").asDouble()).isPositive();
            assertThat(step.path("spread")).hasSize(2);
            assertThat(step.has("limiter")).isTrue();
        }
        JsonNode summary = lines.getLast();
        assertThat(summary.path("steps").asInt()).isEqualTo(3);
        assertThat(summary.path("total_gain").asDouble()).isGreaterThan(1);
        assertThat(summary.path("end").asText()).isEqualTo("most-steps");
        assertThat(summary.at("/settings/stage.look up.parallelism").asInt()).isEqualTo(workers());
        assertThat(summary.path("permanent").toString()).contains("workers in the stage");
        assertThat(summary.path("applied").asBoolean()).isTrue();
    }

    @Test
    void noApply_restoresTheSettingOfTheStart_andSaysWhatWasBest() throws Exception {
        start(Source.repeat(1), 2);

        int code = harness.run("tune", address(), "--window=300ms", "--max-steps=2", "--no-apply");

        assertThat(code).as(harness.err()).isEqualTo(ExitCode.DONE);
        assertThat(workers()).isEqualTo(2);
        assertThat(harness.out()).contains("restored; the best setting was:", "stage.look up.parallelism=");
    }

    @Test
    void pipelineInWhichNothingMoves_exitsWithOne() throws Exception {
        start(Source.never(), 2);

        assertThat(harness.run("tune", address(), "--window=100ms", "--json")).isEqualTo(ExitCode.FAILED);
        assertThat(lines().getLast().path("error").asText()).contains("nothing moved");
        assertThat(workers()).isEqualTo(2);
    }

    @Test
    void stageWithOneWorker_isNamedAsLeftAlone() throws Exception {
        start(Source.repeat(1), 1);

        assertThat(harness.run("tune", address(), "--window=100ms")).isEqualTo(ExitCode.DONE);
        assertThat(harness.out()).contains("left alone: look up", "--raise 'look up'");
        assertThat(workers()).isEqualTo(1);
    }

    /** Regression: the option was ignored. */
    @Test
    void raise_ofAStageThatThePipelineLacks_isRefused() throws Exception {
        start(Source.repeat(1), 1);

        assertThat(harness.run("tune", address(), "--window=100ms", "--raise=lookup"))
                .isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains("--raise must be a stage of the pipeline", "look up", "--raise=lookup");
        assertThat(workers()).isEqualTo(1);
    }

    @Test
    void processWithoutAPipeline_isRefusedWithAWayOut() throws Exception {
        try (ConsoleServer empty = ConsoleServer.builder().start()) {
            assertThat(harness.run("tune", empty.uri().toString())).isEqualTo(ExitCode.FAILED);
            assertThat(harness.err()).contains("shows no pipeline yet", "Wait for it to start");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--window=1ms", "--max-steps=0", "--max-latency=0s", "--window=soon"})
    void option_outOfBounds_isWrongUsage(String option) {
        assertThat(harness.run("tune", "http://127.0.0.1:1", option)).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains(option.substring(0, option.indexOf('=')));
    }
}
