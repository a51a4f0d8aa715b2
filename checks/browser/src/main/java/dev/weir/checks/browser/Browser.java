package dev.weir.checks.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * Controls a headless Chromium through the DevTools protocol (chromedevtools.github.io/devtools-protocol). The browser
 * can connect only to this machine. Without Chromium, the test is skipped with a reason; if the environment variable
 * {@code CI} is {@code true}, it fails. Confined to one thread.
 */
public final class Browser implements AutoCloseable {

    private static final List<String> NAMES =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome");

    private static final String MISSING =
            "no browser: Chromium or Chrome on the PATH opens the console's page. Install it:"
                    + " apt-get install chromium (Debian), snap install chromium (Ubuntu)";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Process process;
    private final HttpClient client = HttpClient.newHttpClient();
    private final WebSocket page;
    private final AtomicInteger calls = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();

    /** Uncaught script exceptions and errors logged by the page. */
    public final List<String> troubles = new CopyOnWriteArrayList<>();

    /** Starts the browser with its profile in {@code folder}. */
    public Browser(Path folder, String... options) throws Exception {
        List<String> command = Stream.concat(
                        Stream.of(
                                executable(),
                                "--headless",
                                // The page is our own, and containers lack user namespaces for the sandbox.
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-dev-shm-usage",
                                "--no-first-run",
                                "--remote-debugging-port=0",
                                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                                "--user-data-dir=" + folder.resolve("profile"),
                                "--window-size=1240,1500"),
                        Stream.concat(Stream.of(options), Stream.of("about:blank")))
                .toList();
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.PIPE)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        page = client.newWebSocketBuilder()
                .buildAsync(pageAddress(), new Reader())
                .get(30, TimeUnit.SECONDS);
        call("Runtime.enable", JSON.createObjectNode());
        call("Log.enable", JSON.createObjectNode());
        call("Page.enable", JSON.createObjectNode());
    }

    private URI pageAddress() throws IOException, InterruptedException {
        BufferedReader log = process.errorReader();
        String line;
        while ((line = log.readLine()) != null) {
            int at = line.indexOf("ws://");
            if (at >= 0) {
                // Reads the browser's output, because a full pipe would block the browser.
                Thread.ofVirtual().start(() -> log.lines().forEach(ignored -> {}));
                URI list = URI.create("http://" + URI.create(line.substring(at)).getAuthority() + "/json/list");
                String pages = client.send(HttpRequest.newBuilder(list).build(), BodyHandlers.ofString())
                        .body();
                for (JsonNode each : JSON.readTree(pages)) {
                    if (each.path("type").asText().equals("page")) {
                        return URI.create(each.path("webSocketDebuggerUrl").asText());
                    }
                }
            }
        }
        throw new IOException("the browser did not start");
    }

    private final class Reader implements WebSocket.Listener {

        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                try {
                    take(JSON.readTree(text.toString()));
                } catch (IOException e) {
                    troubles.add(e.toString());
                }
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }
    }

    private void take(JsonNode message) {
        String method = message.path("method").asText();
        if (method.equals("Runtime.exceptionThrown")) {
            troubles.add(message.toString());
        } else if (method.equals("Log.entryAdded")
                && message.at("/params/entry/level").asText().equals("error")) {
            troubles.add(message.at("/params/entry/text").asText());
        }
        CompletableFuture<JsonNode> waiting = answers.remove(message.path("id").asInt(-1));
        if (waiting != null) {
            waiting.complete(message);
        }
    }

    private JsonNode call(String method, ObjectNode parameters) throws Exception {
        int id = calls.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(id, answer);
        ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
        message.set("params", parameters);
        page.sendText(message.toString(), true).get(30, TimeUnit.SECONDS);
        JsonNode got = answer.get(30, TimeUnit.SECONDS);
        assertThat(got.has("error")).as(got.toString()).isFalse();
        return got.path("result");
    }

    public void open(URI address) throws Exception {
        JsonNode ignored = call("Page.navigate", JSON.createObjectNode().put("url", address.toString()));
    }

    /** Returns the value of an expression in the page as text. Waits for the result of a promise. */
    public String evaluate(String expression) throws Exception {
        JsonNode result = call(
                "Runtime.evaluate",
                JSON.createObjectNode()
                        .put("expression", expression)
                        .put("returnByValue", true)
                        .put("awaitPromise", true));
        return result.path("result").path("value").asText();
    }

    public String textOf(String id) throws Exception {
        return evaluate("document.getElementById('" + id + "')?.textContent ?? ''");
    }

    public void screenshot(Path file) throws Exception {
        JsonNode shot = call(
                "Page.captureScreenshot",
                JSON.createObjectNode().put("format", "png").put("captureBeyondViewport", true));
        Files.write(file, Base64.getDecoder().decode(shot.path("data").asText()));
    }

    public void dark() throws Exception {
        prefer("dark");
    }

    /** Sets the preferred colour scheme, {@code dark} or {@code light}. */
    public void prefer(String scheme) throws Exception {
        ObjectNode parameters = JSON.createObjectNode();
        parameters
                .putArray("features")
                .addObject()
                .put("name", "prefers-color-scheme")
                .put("value", scheme);
        JsonNode ignored = call("Emulation.setEmulatedMedia", parameters);
    }

    /** Shows the page in a window of this size, in pixels. */
    public void resize(int width, int height) throws Exception {
        JsonNode ignored = call(
                "Emulation.setDeviceMetricsOverride",
                JSON.createObjectNode()
                        .put("width", width)
                        .put("height", height)
                        .put("deviceScaleFactor", 1)
                        .put("mobile", false));
    }

    /** Presses a key. A key with a single character is also typed. */
    public void press(String key) throws Exception {
        ObjectNode down = JSON.createObjectNode().put("type", "keyDown").put("key", key);
        if (key.length() == 1) {
            down.put("text", key);
        }
        JsonNode ignored = call("Input.dispatchKeyEvent", down);
        ignored = call(
                "Input.dispatchKeyEvent",
                JSON.createObjectNode().put("type", "keyUp").put("key", key));
    }

    /** Checks the page against axe-core's accessibility rules, in this colour scheme. */
    public void assertAccessible(String scheme) throws Exception {
        prefer(scheme);
        assertThat(evaluate(axe() + "; typeof axe.run")).isEqualTo("function");
        String found = evaluate("axe.run(document, {resultTypes: ['violations']}).then(result =>"
                + " result.violations.map(rule => rule.id + ': ' + rule.nodes.map(node =>"
                + " node.target.join(' ') + ', ' + node.failureSummary).join('; ')).join('\\n')"
                + " + result.passes.length + ' rules passed')");
        assertThat(found).as(scheme).matches("[1-9][0-9]+ rules passed");
    }

    private static String axe() throws IOException {
        String path = "/META-INF/resources/webjars/axe-core/" + System.getProperty("weir.axe") + "/axe.min.js";
        try (InputStream script = Objects.requireNonNull(Browser.class.getResourceAsStream(path), path)) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String executable() {
        String path = System.getenv().getOrDefault("PATH", "");
        String found = NAMES.stream()
                .flatMap(name ->
                        Stream.of(path.split(File.pathSeparator, -1)).map(folder -> folder + File.separator + name))
                .filter(file -> Files.isExecutable(Path.of(file)))
                .findFirst()
                .orElse("");
        if (found.isEmpty()) {
            assertThat(System.getenv("CI")).as(MISSING).isNotEqualTo("true");
            System.out.println("Skipped: " + MISSING); // Surefire reports how many tests were skipped, but not why.
            Assumptions.abort(MISSING);
        }
        return found;
    }

    @Override
    public void close() {
        page.abort();
        client.shutdownNow();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        var ignored = process.destroyForcibly().onExit().join();
    }
}
