package dev.weir.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.bench.campaign.CampaignListener;
import dev.weir.bench.figures.PolledSizes;
import dev.weir.bench.live.Answer;
import dev.weir.bench.live.Order;
import dev.weir.bench.live.OrderDesk;
import dev.weir.bench.live.TimelineEntry;
import dev.weir.bench.result.Phase;
import dev.weir.bench.result.Run;
import dev.weir.cli.CommandHarness;
import dev.weir.command.console.ConsoleOption;
import dev.weir.command.terminal.ExitCode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tests the page of {@code weir bench run --console}: what the runs report, and the changes requested on it. */
@Timeout(120)
class BenchConsoleTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path results;

    private final CommandHarness harness = new CommandHarness();
    private final HttpClient http = HttpClient.newHttpClient();

    private BenchConsole started() {
        ConsoleOption option = CommandLine.populateCommand(new ConsoleOption(), "--console=0");
        return new BenchConsole(harness.weir, false, option);
    }

    private URI address() {
        String line = harness.err().lines().findFirst().orElseThrow();
        assertThat(line).startsWith("weir: console http://127.0.0.1:");
        return URI.create(line.substring("weir: console ".length()));
    }

    private JsonNode asked(String path) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(address() + path)).build();
        return JSON.readTree(http.send(request, BodyHandlers.ofString()).body());
    }

    private JsonNode set(String settings) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address() + "/api/control"))
                .POST(BodyPublishers.ofString("{\"set\":" + settings + "}"))
                .build();
        return JSON.readTree(http.send(request, BodyHandlers.ofString()).body());
    }

    /** Carries out {@code count} commands, and returns them. */
    private static CompletableFuture<List<Order>> doing(OrderDesk desk, int count) {
        return CompletableFuture.supplyAsync(() -> {
            List<Order> done = new ArrayList<>();
            while (done.size() < count) {
                OrderDesk.Waiting waiting = desk.next();
                if (waiting == null) {
                    LockSupport.parkNanos(1_000_000);
                    continue;
                }
                Order order = Objects.requireNonNull(waiting.order());
                done.add(order);
                desk.answer(
                        waiting.number(),
                        Answer.accepted(List.of(new TimelineEntry(10, order, 0, Map.of("did", order.text())))));
            }
            return done;
        });
    }

    private static CampaignListener silent() {
        return new CampaignListener() {
            @Override
            public void note(String line) {}

            @Override
            public void status(String doing, int runsDone, int runs, @Nullable Duration remaining) {}

            @Override
            public void finished(Run run, int runsDone, int runs) {}
        };
    }

    @Test
    void second_isShown_andOrdersReachTheRun_asModifyLeavesThem() throws Exception {
        try (BenchConsole console = started();
                OrderDesk desk = OrderDesk.open(results, "run")) {
            CampaignListener hears = console.hearing(results, silent());
            hears.status("plain at work, round 1", 0, 2, null);
            hears.second(
                    new Phase(1000, 2000, "", 600, 5, 60, 600, 590, 590, 6, 9, 10),
                    Map.of(
                            "client: fetch ms",
                            12.0,
                            "client: records per fetch",
                            70.0,
                            PolledSizes.P50,
                            8.0,
                            PolledSizes.MAX,
                            500.0));
            JsonNode state = asked("/api/state");
            assertThat(state.path("doing").asText()).isEqualTo("0 of 2 runs done, plain at work, round 1");
            assertThat(state.path("figures").path("handled").asInt()).isEqualTo(590);
            assertThat(state.path("figures").path("p99_ms").asInt()).isEqualTo(9);
            assertThat(state.path("figures").path("fetch_ms").asInt()).isEqualTo(12);
            assertThat(state.path("figures").path("records_per_fetch").asInt()).isEqualTo(70);
            assertThat(state.path("figures").path("records_per_poll_p50").asInt())
                    .isEqualTo(8);
            assertThat(state.path("figures").path("records_per_poll_max").asInt())
                    .isEqualTo(500);
            assertThat(state.path("figures").has("empty_polls_percent"))
                    .as("nobody saw them")
                    .isFalse();
            CompletableFuture<List<Order>> run = doing(desk, 3);
            JsonNode report =
                    set("{\"restart-consumers\":\"50%\",\"work\":\"0ms\",\"producerRate\":0,\"freeze\":\"1 for 2s\"}");
            assertThat(report.path("accepted").asBoolean()).as("%s", report).isTrue();
            assertThat(report.path("applied").path("work").asText()).isEqualTo("0ms");
            assertThat(run.join())
                    .extracting(Order::text)
                    .containsExactly("set producerRate=0 work=0ms", "restart-consumers 50%", "freeze 1 for 2.000s");
        }
    }

    @Test
    void whatIsWrong_orReachesNoRun_isRefusedInWords() throws Exception {
        try (BenchConsole console = started()) {
            assertThat(reason(set("{\"drain\":true}"))).contains("no run that can be changed is running");
            var unused = console.hearing(results, silent());
            assertThat(reason(set("{\"drain\":true}"))).contains("no run that can be changed is running");
            assertThat(reason(set("{\"rate\":5}"))).contains("there is no order rate: there are set, ");
            assertThat(reason(set("{\"pause\":\"ten\"}"))).contains("pause must be a time such as");
            assertThat(reason(set("{\"client.max.poll.record\":5}"))).contains("did you mean max.poll.records?");
        }
    }

    private static String reason(JsonNode report) {
        return report.path("refused").path(0).path("reason").asText();
    }

    @Test
    void command_tellsItsAddressFirst() throws IOException {
        Path workload = Files.writeString(results.resolve("w.yaml"), """
                name: simulated
                scenario: work
                drivers: [plain]
                baseline: plain
                topic: {partitions: 2, valueBytes: 50, recordsPerSecond: 100}
                options: {work.millis: 1}
                method: {maxWarmUpSeconds: 1, measureSeconds: 2}
                """);
        int code = harness.run(
                "bench",
                "run",
                workload.toString(),
                "--simulate",
                "--seed=1",
                "--json",
                "--console",
                "--results=" + results.resolve("r"));
        assertThat(code).as(harness.err()).isEqualTo(ExitCode.DONE);
        JsonNode first = JSON.readTree(harness.out().lines().findFirst().orElseThrow());
        assertThat(first.path("event").asText()).isEqualTo("started");
        assertThat(first.path("console").asText()).startsWith("http://127.0.0.1:");
        assertThat(System.getProperty("weir.console.address")).as("closed").isNull();
    }
}
