package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.checks.browser.Browser;
import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the console of {@code weir demo} in a real browser. The console must name the stage that really limits
 * the rate.
 */
@Tag("long")
@Timeout(240)
class DemoConsoleTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path temporary;

    @Test
    void demo_whoseSourceIsSlowedOnThePage_isLimitedByThat_alsoAfterAReload_andItsEndIsTold() throws Exception {
        Process demo = new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.weir.cli.Main",
                        "demo",
                        "--seconds=200",
                        "--rate=3000",
                        "--json"))
                .redirectError(temporary.resolve("stderr").toFile())
                .start();
        try (BufferedReader lines = demo.inputReader();
                Browser browser = new Browser(temporary.resolve("browser"))) {
            URI console = URI.create(new ObjectMapper()
                    .readTree(lines.readLine())
                    .path("console")
                    .textValue());
            browser.open(console);
            await().atMost(PATIENCE).until(() -> browser.textOf("limiter").contains("imit"));

            assertThat(set(browser, "source.rate", "200")).isEqualTo("set");
            await().atMost(PATIENCE)
                    .until(() -> browser.textOf("limiter").startsWith("Limited by stage")
                            && browser.textOf("evidence").contains("lets 200 a second pass"));
            browser.open(console);
            await().atMost(PATIENCE)
                    .until(() -> browser.textOf("evidence").contains("lets 200 a second pass")
                            && browser.textOf("timeline").contains("source.rate = 200, by page"));
            assertThat(browser.troubles).isEmpty();

            demo.destroyForcibly();
            await().atMost(PATIENCE)
                    .until(() -> browser.evaluate("document.getElementById('trouble').hidden")
                            .equals("false"));
        } finally {
            demo.destroyForcibly();
        }
    }

    /** A browser that connects early sees what the demo is waiting for. */
    @Test
    void demo_withKeep_servesItsPageFromTheBrokersStartUntilASignal() throws Exception {
        try (PipeProcess demo = PipeProcess.start("demo", "--records=1000", "--keep", "--json")) {
            String started = demo.awaitOut().lines().findFirst().orElseThrow();
            URI state = URI.create(
                            new ObjectMapper().readTree(started).path("console").textValue())
                    .resolve("/api/state");
            assertThat(get(state)).contains("\"step\":\"Starting a Kafka broker in this process\"");
            await().atMost(PATIENCE).until(() -> demo.err().contains("the console stays open; Ctrl-C ends"));
            assertThat(get(state)).contains("\"state\":\"closed\"", "\"name\":\"parse JSON\"");
            assertThat(demo.out()).contains("\"records_in\":1000,");
            demo.signal("INT");
            assertThat(demo.exitCode(PATIENCE)).isZero();
        }
    }

    @Test
    void demo_withTune_saysOnItsPageWhatItWaitsFor_andHowThePageStays() throws Exception {
        try (PipeProcess demo = PipeProcess.start("demo", "--tune", "--records=2000", "--json")) {
            String started = demo.awaitOut().lines().findFirst().orElseThrow();
            URI state = URI.create(
                            new ObjectMapper().readTree(started).path("console").textValue())
                    .resolve("/api/state");
            await().atMost(PATIENCE).until(() -> get(state).contains("\"step\":\""));
            await().atMost(PATIENCE).until(() -> demo.err().contains("--keep leaves it open"));
        }
    }

    private static String get(URI address) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    private static String set(Browser browser, String key, String value) throws Exception {
        String input = "document.getElementById('knob-" + key + "')";
        return browser.evaluate(input + ".value = '" + value + "', " + input + ".form.requestSubmit(), 'set'");
    }
}
