package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.checks.browser.Browser;
import dev.weir.console.profile.Profile;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.RunningPipeline;
import example.burners.Burners;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the profile of a console: for programs, on its page, and as a file. */
@Timeout(180)
class ProfilePageTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    @Test
    void profile_asked_hasTheStagesAndIsOneAtATime() throws Exception {
        Burners burners = new Burners(2);
        try (RunningPipeline running = burners.run(Dispatcher.virtual());
                ConsoleServer console = ConsoleServer.builder().start(running);
                Asker asker = new Asker(console);
                Asker another = new Asker(console)) {
            await().atMost(PATIENCE).until(() -> burners.done.get() > 0);
            CompletableFuture<HttpResponse<String>> recording = asker.later("/api/profile?seconds=8");
            // The first refusal shows that the other request is recording.
            await().atMost(Duration.ofSeconds(7))
                    .until(() -> recording.isDone()
                            || another.get("/api/profile?seconds=1").statusCode() == 409);
            // If the one-second request came first, the other request was refused.
            HttpResponse<String> answer =
                    recording.get().statusCode() == 409 ? asker.get("/api/profile?seconds=8") : recording.get();
            JsonNode profile = Asker.JSON.readTree(answer.body());
            assertThat(profile.path("error").asText()).isEmpty();
            assertThat(profile.path("seconds").asDouble()).isGreaterThanOrEqualTo(1);
            assertThat(profile.path("stages").findValuesAsText("name"))
                    .contains("burn5", "burn10", "burn20", "burn25", "burn40");
            assertThat(profile.at("/flames/cpu/v").asLong())
                    .isEqualTo(profile.path("samples").asLong());
            running.cancel();
        }
    }

    @Test
    void page_recordsAndShowsStagesAndFlames() throws Exception {
        Burners burners = new Burners(2);
        try (Browser browser = new Browser(folder);
                RunningPipeline running = burners.run(Dispatcher.virtual());
                ConsoleServer console = ConsoleServer.builder().start(running)) {
            browser.open(console.uri());
            await().atMost(PATIENCE).until(() -> browser.textOf("run-state").equals("running"));
            assertThat(browser.evaluate("document.getElementById('record').click(), 'clicked'"))
                    .isEqualTo("clicked");
            assertThat(browser.evaluate("document.getElementById('record').disabled"))
                    .isEqualTo("true");
            await().atMost(PATIENCE).until(() -> browser.textOf("recording").startsWith("Recorded"));
            assertFlames(browser);
            browser.screenshot(Path.of(System.getProperty("weir.root", "."), "weir-console/target", "profile.png"));
            assertThat(browser.troubles).isEmpty();
            running.cancel();
        }
    }

    @Test
    void file_ofAProfile_showsTheSameWithoutANetwork() throws Exception {
        String flame = "{\"n\":\"all\",\"v\":10,\"c\":[{\"n\":\"</script><b>burn40\",\"v\":9,\"c\":["
                + "{\"n\":\"example.burners.Burners.burn\",\"v\":8}]}]}";
        String profile =
                "{\"seconds\":1.0,\"sampler\":\"jdk.CPUTimeSample\",\"samples\":10,\"lost\":0,\"engine_share\":0.1,"
                        + "\"client_share\":0,\"other_share\":0,\"stages\":[{\"name\":\"burn40\",\"cpu_share\":0.9,\"top\":[],"
                        + "\"allocated_bytes\":1500,\"allocation\":[],\"blocked\":[]}],\"flames\":{\"cpu\":" + flame
                        + ",\"allocation\":" + flame + ",\"blocked\":" + flame + "}}";
        Path file = Files.writeString(folder.resolve("profile.html"), Profile.htmlOf(profile));
        assertThat(Files.readString(file))
                .contains("default-src 'none'")
                .doesNotContain("http://")
                .doesNotContain("</script><b>");
        try (Browser browser = new Browser(folder)) {
            browser.open(file.toUri());
            await().atMost(PATIENCE).until(() -> browser.textOf("profile").contains("burn40"));
            assertFlames(browser);
            assertThat(browser.troubles).isEmpty();
        }
    }

    /** Moves through the graph with keys: down to called methods, Enter zooms in, and Escape zooms out. */
    private static void assertFlames(Browser browser) throws Exception {
        assertThat(browser.textOf("profile"))
                .contains("burn40")
                .contains("Weir itself")
                .contains("samples");
        await().atMost(PATIENCE).until(() -> count(browser) >= 3);
        press(browser, "ArrowDown");
        // Larger frames may come first, such as threads of the test.
        for (int others = 0; others < 10 && !told(browser).contains("burn40: "); others++) {
            press(browser, "ArrowRight");
        }
        assertThat(told(browser)).contains("burn40: ");
        press(browser, "ArrowDown");
        assertThat(told(browser)).contains("Burners.");
        assertThat(browser.evaluate("document.activeElement.click(), 'zoomed'")).isEqualTo("zoomed");
        assertThat(browser.evaluate("document.activeElement.style.width")).isEqualTo("100%");
        press(browser, "Escape");
        press(browser, "Escape");
        assertThat(count(browser)).isGreaterThanOrEqualTo(3);
    }

    private static int count(Browser browser) throws Exception {
        return Integer.parseInt(browser.evaluate("document.querySelectorAll('.flame button').length"));
    }

    private static String told(Browser browser) throws Exception {
        return browser.evaluate("document.querySelector('.flame-told').textContent");
    }

    private static void press(Browser browser, String key) throws Exception {
        String done = browser.evaluate("document.querySelector('.flame button[tabindex=\"0\"]').dispatchEvent("
                + "new KeyboardEvent('keydown', {key: '" + key + "', bubbles: true, cancelable: true})), 'pressed'");
        assertThat(done).isEqualTo("pressed");
    }
}
