package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.checks.browser.Browser;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a benchmark's console: the events that it receives, and the requests that it sends. */
@Timeout(120)
class RunConsoleTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final BlockingQueue<Map<String, String>> ordered = new LinkedBlockingQueue<>();

    @TempDir
    private Path folder;

    private RunConsole console() throws IOException {
        return ConsoleServer.builder().startForRuns("weir bench", this::order);
    }

    /** Refuses to kill. Accepts all other commands. */
    private ControlReport order(Map<String, String> wanted) {
        ordered.add(wanted);
        Map<String, String> applied = new LinkedHashMap<>(wanted);
        String kill = applied.remove("kill");
        return ControlReport.of(
                applied,
                kill == null ? List.of() : List.of(new ControlReport.Refusal("kill", kill, "one process has to stay")));
    }

    private static Map<String, Double> second(double handled) {
        return Map.of(
                RunConsole.PLANNED, 1000.0,
                RunConsole.SENT, 1000.0,
                RunConsole.HANDLED, handled,
                RunConsole.LAG, 70.0,
                RunConsole.P50_MILLIS, 4.5,
                RunConsole.P99_MILLIS, Double.NaN,
                RunConsole.CONSUMERS, 60.0,
                RunConsole.WORK_MILLIS, 5.0);
    }

    @Test
    void state_hasTheSecondTheNotesAndTheSettings() throws Exception {
        try (RunConsole console = console();
                Asker asker = new Asker(console.uri())) {
            assertThat(asker.json("/api/state").path("figures")).isEmpty();
            console.doing("plain, round 1");
            console.second(second(930));
            console.note("3.0 s, pause 1.000s: all members were paused");
            JsonNode state = asker.json("/api/state");
            assertThat(state.path("pipeline").asText()).isEqualTo("weir bench");
            assertThat(state.path("doing").asText()).isEqualTo("plain, round 1");
            assertThat(state.path("figures").path("handled").asInt()).isEqualTo(930);
            assertThat(state.path("figures").path("p50_ms").asDouble()).isEqualTo(4.5);
            assertThat(state.path("figures").path("p99_ms").isNull()).isTrue();
            assertThat(state.path("notes").get(0).asText()).contains("all members were paused");
            assertThat(state.path("controls").toString())
                    .contains("{\"key\":\"producerRate\",\"value\":1000}", "{\"key\":\"work\",\"value\":\"5ms\"}");
            assertThat(System.getProperty(ConsoleServer.ADDRESS_PROPERTY))
                    .isEqualTo(console.uri().toString());
            console.doing("weir, round 1");
            assertThat(asker.json("/api/state").path("figures"))
                    .as("of the run before")
                    .isEmpty();
        }
        assertThat(System.getProperty(ConsoleServer.ADDRESS_PROPERTY)).isNull();
    }

    @Test
    void orders_areDoneOrRefused_andStandInTheTimeline() throws Exception {
        try (RunConsole console = console();
                Asker asker = new Asker(console.uri())) {
            JsonNode report = asker.set("{\"producerRate\":0,\"kill\":\"2\"}");
            assertThat(ordered.poll()).containsEntry("producerRate", "0").containsEntry("kill", "2");
            assertThat(report.path("accepted").asBoolean()).isFalse();
            assertThat(report.path("applied").path("producerRate").asInt()).isZero();
            assertThat(report.path("refused").get(0).path("reason").asText()).isEqualTo("one process has to stay");
            JsonNode entries = asker.json("/api/timeline").path("entries");
            assertThat(entries).hasSize(2);
            assertThat(entries.get(0).path("key").asText()).isEqualTo("producerRate");
            assertThat(entries.get(1).path("applied").asBoolean()).isFalse();
        }
    }

    /** A drain takes longer than the time limit of an answer. */
    @Test
    void close_endsAnOrderThatIsBeingDone() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        RunConsole console = ConsoleServer.builder().startForRuns("weir bench", wanted -> {
            begun.countDown();
            never.await();
            return ControlReport.of(wanted, List.of());
        });
        try (Asker asker = new Asker(console.uri())) {
            var answer = asker.laterSet("{\"drain\":true}");
            begun.await();
            console.close();
            assertThatThrownBy(answer::join).hasRootCauseInstanceOf(IOException.class);
        }
    }

    @Test
    void beyondLoopback_aTokenIsDemanded() {
        assertThatThrownBy(() -> ConsoleServer.builder().host("0.0.0.0").startForRuns("weir bench", this::order))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs a token");
    }

    @Test
    void page_showsEachSecond_andOrders() throws Exception {
        try (RunConsole console = console();
                Browser browser = new Browser(folder)) {
            console.doing("plain, round 1");
            console.second(second(930));
            browser.open(console.uri());
            awaitText(browser, "doing", "plain, round 1");
            awaitText(browser, "figures", "930/s");
            console.second(second(12_345));
            awaitText(browser, "figures", "12 k/s");
            console.note("a note is no second");
            awaitText(browser, "rate-most", "12 k/s");
            awaitText(browser, "notes", "a note is no second");
            await().atMost(PATIENCE)
                    .until(() -> browser.evaluate("document.getElementById('rates').getAttribute('aria-label')")
                            .contains("the highest lag of the last 2 seconds: 70"));
            order(browser, "document.querySelector('form[data-key=\"restart-consumers\"]')");
            assertThat(ordered.take()).isEqualTo(Map.of("restart-consumers", "50%"));
            awaitText(browser, "answer", "restart-consumers: 50%");
            order(browser, "document.querySelector('form[data-key=drain]')");
            assertThat(ordered.take()).isEqualTo(Map.of("drain", "true"));
            order(
                    browser,
                    "(document.getElementById('kind').value = 'kill',"
                            + " document.getElementById('kind').dispatchEvent(new Event('change')),"
                            + " document.getElementById('fault'))");
            assertThat(ordered.take()).isEqualTo(Map.of("kill", "1"));
            awaitText(browser, "answer", "refused: one process has to stay");
            browser.assertAccessible("light");
            browser.assertAccessible("dark");
            assertThat(browser.troubles).isEmpty();
        }
    }

    /** The caller may leave out a metric or pass NaN. */
    @Test
    void page_ofUnknownMetrics_hasADashForEach() throws Exception {
        try (RunConsole console = console();
                Browser browser = new Browser(folder)) {
            console.second(Map.of(RunConsole.HANDLED, 930.0, RunConsole.PLANNED, Double.NaN));
            browser.open(console.uri());
            awaitText(browser, "figures", "Planned-Sent-Handled930/sLag-Median-p99-Consumers-A handler blocks-");
            await().atMost(PATIENCE)
                    .until(() -> browser.evaluate("document.getElementById('rates').getAttribute('aria-label')")
                            .startsWith("now 930 records handled per second of - planned, and a lag of -;"));
            assertThat(browser.troubles).isEmpty();
        }
    }

    private static void order(Browser browser, String form) throws Exception {
        assertThat(browser.evaluate(form + ".requestSubmit(), 'ordered'")).isEqualTo("ordered");
    }

    private static void awaitText(Browser browser, String id, String text) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(browser.textOf(id)).contains(text));
    }
}
