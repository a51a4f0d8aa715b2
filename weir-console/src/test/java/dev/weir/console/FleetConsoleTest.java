package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.checks.browser.Browser;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the page of a fleet with fifty members. {@code FleetRunTest} of the command tests the view. */
@Timeout(120)
class FleetConsoleTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private static String limiter(String kind) {
        return "{\"kind\":\"" + kind + "\",\"name\":\"price\",\"sentence\":\"price waits for the network\","
                + "\"advice\":\"raise it from 8 to 24\",\"members\":24}";
    }

    private static String pipeline(String key, String reads, String writes, int members, long lag, double delay) {
        return "{\"key\":\"%s\",\"name\":\"%s\",\"members\":%d,\"answering\":%d,\"reads\":[\"%s\"],\"writes\":[\"%s\"],\"lag\":%d,"
                        .formatted(key, key, members, members - 1, reads, writes, lag)
                + "\"stands_still\":false,\"delay_s\":" + delay + ",\"in_per_second\":900,\"out_per_second\":870,"
                + "\"limiter\":" + limiter("stage-wait") + "}";
    }

    private static String member(int i) {
        String answer = i % 25 == 0
                ? "\"answers\":false,\"reason\":\"no answer within 3000 ms\""
                : "\"answers\":true,\"state\":\"running\",\"live\":true,\"ready\":true,\"progressing\":true,\"partitions\":4,"
                        + "\"lag\":" + 20 * i + ",\"in_per_second\":36,\"out_per_second\":35,\"limiter\":"
                        + (i % 7 == 0 ? "\"unknown\"" : limiter("stage-wait"));
        return "{\"url\":\"http://10.0.0." + i + ":9500\",\"group\":\"orders\",\"client_id\":\"orders.console-9500\","
                + "\"pipeline_key\":\"orders\"," + answer + "}";
    }

    private static String view(long lag) {
        return "{\"at\":\"2026-11-28T00:00:00Z\",\"groups\":[\"clean\",\"orders\",\"bill\"],\"limits\":{\"confidence\":\"sure\","
                + "\"sentence\":\"orders limits the whole: " + lag + " records wait in front of it, 41 s of its work\","
                + "\"candidates\":[\"orders\"],\"advice\":\"There: price waits for the network. To do: raise it from 8 to 24\","
                + "\"why\":[\"2 of 50 members of orders report no rate, so it may be higher\"]},\"pipelines\":["
                + String.join(
                        ",",
                        pipeline("clean", "raw", "cleaned", 3, 20, 0.1),
                        pipeline("orders", "cleaned", "priced", 50, lag, 41),
                        pipeline("bill", "priced", "bills", 2, 0, 0))
                + "],\"edges\":[{\"from\":\"clean\",\"to\":\"orders\",\"topic\":\"cleaned\"},"
                + "{\"from\":\"orders\",\"to\":\"bill\",\"topic\":\"priced\"}],\"members\":["
                + IntStream.range(0, 50).mapToObj(FleetConsoleTest::member).collect(Collectors.joining(","))
                + "],\"trouble\":[]}";
    }

    @Test
    void page_showsWhatLimits_theGraph_andEachMember() throws Exception {
        try (FleetConsole console = ConsoleServer.builder().startForFleet();
                Browser browser = new Browser(folder)) {
            browser.open(console.uri());
            awaitText(browser, "fleet-state", "starting");
            console.show(view(36_900));
            awaitText(browser, "limiter", "orders limits the whole: 36900 records");
            assertThat(browser.textOf("advice")).contains("raise it from 8 to 24");
            assertThat(browser.evaluate("document.querySelectorAll('#members tr').length"))
                    .isEqualTo("50");
            assertThat(browser.evaluate("document.querySelectorAll('#members tr.silent').length"))
                    .isEqualTo("2");
            assertThat(browser.textOf("members")).contains("does not answer: no answer within 3000 ms");
            assertThat(browser.evaluate("document.querySelectorAll('#graph rect').length"))
                    .isEqualTo("3");
            assertThat(browser.evaluate("document.querySelectorAll('#graph rect.limits').length"))
                    .isEqualTo("1");
            assertThat(browser.evaluate("document.getElementById('graph').getAttribute('aria-label')"))
                    .contains("writes priced to bill");
            console.show(view(1_234));
            awaitText(browser, "limiter", "1234 records");
            browser.assertAccessible("light");
            browser.assertAccessible("dark");
            assertThat(browser.troubles).isEmpty();
        }
    }

    @Test
    void view_isServedAsJson_andNothingCanBeSet() throws Exception {
        try (FleetConsole console = ConsoleServer.builder().startForFleet();
                Asker asker = new Asker(console.uri())) {
            assertThat(asker.json("/api/state").path("starting").asBoolean()).isTrue();
            console.show(view(7));
            JsonNode state = asker.json("/api/state");
            assertThat(state.path("look").asInt()).isEqualTo(2);
            assertThat(state.path("members")).hasSize(50);
            assertThat(asker.set("{\"source.paused\":true}").path("accepted").asBoolean())
                    .isFalse();
            assertThatThrownBy(() -> console.show("[]")).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> console.show("{}")).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void beyondLoopback_aTokenIsDemanded() {
        assertThatThrownBy(() -> ConsoleServer.builder().host("0.0.0.0").startForFleet())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs a token");
    }

    @Test
    void clientId_namesThePort() throws Exception {
        try (ConsoleServer console = ConsoleServer.builder().start()) {
            assertThat(console.clientId("orders"))
                    .isEqualTo("orders.console-" + console.uri().getPort());
        }
    }

    private static void awaitText(Browser browser, String id, String text) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(browser.textOf(id)).contains(text));
    }
}
