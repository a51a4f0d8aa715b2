package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.StageSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the fields about the pipeline's process. */
@Timeout(60)
class ConsoleProcessTest {

    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /** Never has a permit: each wait times out. */
    private final Semaphore never = new Semaphore(0);

    private RunningPipeline run() {
        return Source.range(0, Long.MAX_VALUE)
                .mapBlocking(4, Ordering.input(), number -> {
                    boolean ignored = never.tryAcquire(5, TimeUnit.MILLISECONDS);
                    return number;
                })
                .named("look up")
                .to(Sink.ignore())
                .run();
    }

    private static List<JsonNode> rows(JsonNode state) {
        List<JsonNode> rows = new ArrayList<>();
        state.path("threads").forEach(each -> {
            if (each.has("name")) {
                rows.add(each);
            }
        });
        return rows;
    }

    @Test
    void state_asked_hasARowForEachThreadWithItsStates() throws Exception {
        try (RunningPipeline running = run();
                ConsoleServer console = ConsoleServer.builder().start(running);
                Asker asker = new Asker(console)) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                JsonNode state = asker.json("/api/state");
                assertThat(rows(state))
                        .hasSizeBetween(8, 160)
                        .allSatisfy(
                                row -> assertThat(row.path("states").asText()).matches("[RPWSB.]{1,60}"))
                        .anySatisfy(row -> {
                            assertThat(row.path("name").asText()).contains("look up");
                            assertThat(row.path("kind").asText()).isEqualTo("dispatcher");
                            assertThat(row.path("states").asText())
                                    .hasSizeGreaterThan(2)
                                    .contains("P");
                        })
                        .anySatisfy(row ->
                                assertThat(row.path("dispatcher").asText()).isEqualTo("collector"))
                        .anySatisfy(row ->
                                assertThat(row.path("dispatcher").asText()).isEqualTo("compiler"));
                // Clients still read the sums over all threads.
                assertThat(state.path("threads").get(0).has("running")).isTrue();
            });
        }
    }

    @Test
    void state_asked_hasProcessorHeapAllocationAndCollections() throws Exception {
        try (RunningPipeline running = run();
                ConsoleServer console = ConsoleServer.builder().start(running);
                Asker asker = new Asker(console)) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                JsonNode state = asker.json("/api/state");
                assertThat(state.path("cpu").path("process_share").asDouble(-1)).isBetween(0.0, 1.0);
                assertThat(state.path("heap").path("used_bytes").asLong()).isPositive();
                assertThat(state.path("allocation").path("bytes_per_second").asLong(-1))
                        .isPositive();
                assertThat(state.path("collections").path("count").asLong(-1)).isNotNegative();
                assertThat(state.path("figures").path("seconds").asDouble()).isPositive();
                JsonNode stage = state.path("stages").get(1);
                assertThat(stage.path("name").asText()).isEqualTo("look up");
                assertThat(stage.path("time_per_record_us").asDouble()).isGreaterThan(4_000);
                assertThat(stage.path("recent_out_per_second").asDouble()).isPositive();
            });
            JsonNode trend = asker.json("/api/trend");
            assertThat(trend.path("points").size()).isPositive();
            assertThat(trend.path("points").get(0))
                    .hasSize(1 + trend.path("figures").size());
        }
    }

    @Test
    void heap_asked_namesTheClassesWithTheMostBytes() throws Exception {
        try (ConsoleServer console = ConsoleServer.builder().start();
                Asker asker = new Asker(console)) {
            JsonNode heap = asker.json("/api/heap");
            assertThat(heap.path("available").asBoolean()).isTrue();
            assertThat(heap.path("classes"))
                    .hasSize(40)
                    .anySatisfy(each -> assertThat(each.path("class").asText()).isEqualTo("byte[]"));
            assertThat(heap.path("bytes").asLong())
                    .isGreaterThanOrEqualTo(
                            heap.path("classes").get(0).path("bytes").asLong());
            assertThat(asker.post("/api/heap", "{}").statusCode()).isEqualTo(405);
        }
    }

    @Test
    void phase_beforeTheFirstRecord_saysSo() throws Exception {
        StubPipeline pipeline = new StubPipeline("orders");
        pipeline.stages.add(StageSnapshot.of("price", 1, 0, 0, 0, 0, 0, 0, 1_000_000_000L));
        try (ConsoleServer console = ConsoleServer.builder().start();
                Asker asker = new Asker(console)) {
            assertThat(asker.json("/api/state").path("phase").asText()).isEqualTo("starting");
            console.show(pipeline, () -> null);
            assertThat(asker.json("/api/state").path("phase").asText()).isEqualTo("no-records-yet");
            pipeline.stages.set(0, StubPipeline.stage("price", 1, 0));
            await().atMost(PATIENCE)
                    .until(() -> asker.json("/api/state").path("phase").asText().equals("running"));
            pipeline.close();
            assertThat(asker.json("/api/state").path("phase").asText()).isEqualTo("ended");
        }
    }
}
