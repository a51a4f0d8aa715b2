package dev.weir.cli.console;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.command.terminal.CliFailure;
import dev.weir.console.ControlReport;
import dev.weir.console.tune.TuneReading;
import dev.weir.console.tune.TuneTarget;
import dev.weir.metrics.Limiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A pipeline in another process, tuned through its console. Confined to the tuning thread. */
final class ConsoleTarget implements TuneTarget {

    private final ConsoleClient console;
    private final Runnable onReading;
    private final CountDownLatch never = new CountDownLatch(1);

    /**
     * Creates a target.
     *
     * @param onReading called before each reading of the pipeline
     */
    ConsoleTarget(ConsoleClient console, Runnable onReading) {
        this.console = console;
        this.onReading = onReading;
    }

    /** Throws if the console shows no pipeline, or is too old to be tuned. */
    void check() throws InterruptedException {
        JsonNode state = console.get("/api/state");
        if (state.path("pipeline").asText().isEmpty() || !state.path("stages").isArray()) {
            throw CliFailure.work(
                    "the process shows no pipeline yet", "Wait for it to start; runs of a benchmark cannot be tuned.");
        }
        if (!state.path("progress").isObject()) {
            throw CliFailure.work(
                    "the console of the process is of a version that cannot be tuned",
                    "Start the process with the version of this command.");
        }
    }

    @Override
    public TuneReading read() throws InterruptedException {
        onReading.run();
        JsonNode state = console.get("/api/state");
        JsonNode progress = state.path("progress");
        TuneReading.Builder reading = TuneReading.builder(
                        progress.path("at_nanos").asLong())
                .failed(progress.path("failed").asLong())
                .oldest(Duration.ofMillis(progress.path("oldest_ms").asLong()))
                .heapShare(progress.path("heap_share").asDouble())
                .backlog(progress.path("backlog").asLong(-1))
                .limiter(limiter(state.path("limiter")));
        for (JsonNode stage : state.path("stages")) {
            reading.stage(
                    stage.path("name").asText(),
                    stage.path("in").asLong(),
                    stage.path("out").asLong());
            if (stage.has("busy_nanos")) {
                reading.work(
                        stage.path("name").asText(),
                        stage.path("out").asLong(),
                        stage.path("busy_nanos").asLong());
            }
        }
        for (JsonNode control : state.path("controls")) {
            if (control.has("max")) {
                reading.control(
                        control.path("key").asText(),
                        control.path("value").asLong(),
                        control.path("min").asLong(),
                        control.path("max").asLong(),
                        control.path("dispatcher").textValue());
            }
        }
        return (state.path("running").asBoolean() ? reading : reading.ended()).build();
    }

    /** Returns the limiter; null if there is none or this version does not know its kind. */
    private static @Nullable Limiter limiter(JsonNode node) {
        for (Limiter.Kind kind : Limiter.Kind.values()) {
            if (kind.id().equals(node.path("kind").asText())) {
                return Limiter.of(
                        kind,
                        node.path("name").asText(),
                        node.path("sentence").asText(),
                        node.path("advice").asText(),
                        Math.max(1, node.path("expected_gain").asDouble(1)));
            }
        }
        return null;
    }

    @Override
    public ControlReport set(Map<String, String> settings) throws InterruptedException {
        JsonNode answer = console.set(settings);
        Map<String, String> applied = new LinkedHashMap<>();
        answer.path("applied")
                .properties()
                .forEach(each -> applied.put(each.getKey(), each.getValue().asText()));
        List<ControlReport.Refusal> refused = new ArrayList<>();
        for (JsonNode each : answer.path("refused")) {
            refused.add(new ControlReport.Refusal(
                    each.path("key").asText(),
                    each.path("value").asText(),
                    each.path("reason").asText()));
        }
        return ControlReport.of(applied, refused);
    }

    @Override
    public void await(Duration time) throws InterruptedException {
        boolean ignored = never.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }
}
