package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ConsoleAccessTest {

    private static final String TOKEN = "a-token-of-some-length";

    private final StubPipeline pipeline = new StubPipeline("orders");
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
    }

    private Asker start(ConsoleServer.Builder settings) throws IOException {
        ConsoleServer console = settings.start(pipeline);
        opened.add(console);
        Asker asker = new Asker(console);
        opened.add(asker);
        return asker;
    }

    @Test
    void console_byDefault_listensOnLoopbackOnly() throws Exception {
        try (ConsoleServer console = ConsoleServer.builder().start()) {
            assertThat(console.uri().getHost()).startsWith("127.");
        }
    }

    @Test
    void beyondLoopback_withoutAToken_isRefused() {
        assertThatThrownBy(() -> ConsoleServer.builder().host("0.0.0.0").start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0.0.0.0")
                .hasMessageContaining("token");
        assertThatThrownBy(() -> ConsoleServer.builder().token("short"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("16")
                .hasMessageNotContaining("short");
    }

    /** DNS rebinding: somebody else's name resolves to this machine. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "evil.example:80",
                "localhost.evil.example",
                "10.0.0.1",
                "a b",
                "",
                "127.evil.example"
            })
    void host_ofSomebodyElse_isRefused(String host) throws Exception {
        Asker asker = start(ConsoleServer.builder());
        for (String path : List.of("/", "/api/state", "/api/events")) {
            assertThat(asker.raw("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))
                    .as(path)
                    .isEqualTo("HTTP/1.1 403");
        }
        assertThat(asker.raw("GET /api/state HTTP/1.0\r\n\r\n")).isEqualTo("HTTP/1.1 403");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "localhost:9500", "127.0.0.1", "127.0.0.1:1", "[::1]:80", "LOCALHOST"})
    void host_ofThisMachine_isAnswered(String host) throws Exception {
        Asker asker = start(ConsoleServer.builder());
        assertThat(asker.raw("GET /api/state HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))
                .isEqualTo("HTTP/1.1 200");
    }

    @Test
    void requests_ofOtherSites_areRefused() throws Exception {
        Asker asker = start(ConsoleServer.builder());
        String change = "{\"set\":{\"source.paused\":true}}";
        for (String origin : List.of("http://evil.example", "null", "https://localhost", "http://localhost:1")) {
            assertThat(asker.post("/api/control", change, "Origin", origin).statusCode())
                    .as(origin)
                    .isEqualTo(403);
        }
        assertThat(asker.get("/api/state", "Sec-Fetch-Site", "cross-site").statusCode())
                .isEqualTo(403);
        assertThat(asker.get("/api/state", "Sec-Fetch-Site", "same-origin").statusCode())
                .isEqualTo(200);
        assertThat(asker.raw("POST /api/control HTTP/1.1\r\nHost: localhost:7\r\nOrigin: http://localhost:7\r\n"
                        + "Content-Length: " + change.length() + "\r\n\r\n" + change))
                .isEqualTo("HTTP/1.1 200");
    }

    /** A browser sends the scheme of the proxy in {@code Origin}. The proxy may run on this machine. */
    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "127.0.0.1"})
    void page_behindATlsProxy_mayChangeSettings(String listening) throws Exception {
        Asker asker = start(ConsoleServer.builder().host(listening).token(TOKEN));
        String change = "{\"set\":{\"what.ever\":true}}";
        String request = "POST /api/control HTTP/1.1\r\nHost: weir.example.com\r\nOrigin: https://%s\r\n"
                + "Sec-Fetch-Site: same-origin\r\nAuthorization: Bearer " + TOKEN + "\r\nContent-Length: "
                + change.length() + "\r\n\r\n" + change;
        assertThat(asker.raw(request.formatted("weir.example.com"))).isEqualTo("HTTP/1.1 200");
        assertThat(asker.raw(request.formatted("evil.example"))).isEqualTo("HTTP/1.1 403");
    }

    @Test
    void token_isDemandedOfAllButThePage() throws Exception {
        Asker asker = start(ConsoleServer.builder().token(TOKEN));
        for (String path : List.of("/api/state", "/api/events", "/api/timeline", "/api/profile", "/api/nothing")) {
            HttpResponse<String> denied = asker.get(path);
            assertThat(denied.statusCode()).as(path).isEqualTo(401);
            assertThat(denied.headers().firstValue("www-authenticate")).hasValue("Bearer");
            assertThat(asker.get(path, "Authorization", "Bearer " + TOKEN + "x").statusCode())
                    .isEqualTo(401);
            assertThat(asker.get(path, "Authorization", "Basic " + TOKEN).statusCode())
                    .isEqualTo(401);
            assertThat(asker.get(path + "?token=" + TOKEN).statusCode()).isEqualTo(401);
        }
        assertThat(asker.post("/api/control", "{\"set\":{\"a\":1}}").statusCode())
                .isEqualTo(401);
        assertThat(asker.get("/").statusCode()).isEqualTo(200);
        assertThat(asker.get("/api/state", "Authorization", "Bearer " + TOKEN).statusCode())
                .isEqualTo(200);
        assertThat(asker.get("/api/state", "Authorization", "Bearer " + TOKEN).body())
                .doesNotContain(TOKEN);
    }

    /** RFC 7235, section 2.1: the case of the scheme does not matter. */
    @ParameterizedTest
    @ValueSource(strings = {"bearer ", "BEARER ", "Bearer ", "bEaReR   "})
    void tokensScheme_inAnyCase_isTaken(String scheme) throws Exception {
        Asker asker = start(ConsoleServer.builder().token(TOKEN));
        assertThat(asker.get("/api/state", "Authorization", scheme + TOKEN).statusCode())
                .isEqualTo(200);
        assertThat(asker.get("/api/state", "Authorization", scheme + TOKEN.toUpperCase(Locale.ROOT))
                        .statusCode())
                .isEqualTo(401);
        assertThat(asker.get("/api/state", "Authorization", scheme.strip() + TOKEN)
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void beyondLoopback_withTheToken_answersUnderAnyName() throws Exception {
        Asker asker = start(ConsoleServer.builder().host("0.0.0.0").token(TOKEN));
        assertThat(asker.raw(
                        "GET /api/state HTTP/1.1\r\nHost: pipe.svc\r\nAuthorization: Bearer " + TOKEN + "\r\n\r\n"))
                .isEqualTo("HTTP/1.1 200");
        assertThat(asker.raw("GET /api/state HTTP/1.1\r\nHost: pipe.svc\r\n\r\n"))
                .isEqualTo("HTTP/1.1 401");
    }

    /** Given many readers of the events: other requests must still get a connection. */
    @Test
    void readers_overTheLimit_areRefusedAndQuestionsAnswered() throws Exception {
        Asker asker = start(ConsoleServer.builder());
        List<Socket> readers = new ArrayList<>();
        try {
            String last = "";
            for (int i = 0; i < 33; i++) {
                Socket reader = asker.connect();
                readers.add(reader);
                reader.getOutputStream()
                        .write("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .getBytes(StandardCharsets.ISO_8859_1));
                last = new String(reader.getInputStream().readNBytes(12), StandardCharsets.ISO_8859_1);
            }
            assertThat(last).isEqualTo("HTTP/1.1 503");
            assertThat(asker.get("/api/state").statusCode()).isEqualTo(200);
        } finally {
            for (Socket reader : readers) {
                reader.close();
            }
        }
    }
}
