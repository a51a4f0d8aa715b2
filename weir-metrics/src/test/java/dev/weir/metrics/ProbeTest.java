package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.metrics.http.HttpLimits;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that health probes are answered whatever else is connected, and only under the server's own name. */
@Timeout(60)
class ProbeTest {

    /** More than twice as many connections as the server accepts. */
    private static final int MANY = 2 * HttpLimits.MAX_CONNECTIONS + 12;

    private static final String LIVE = "GET /health/live HTTP/1.1\r\nHost: 10.244.1.7:9400\r\n\r\n";

    private final StubPipeline pipeline = new StubPipeline("orders");
    private final List<Socket> others = new ArrayList<>();
    private MetricsServer server;

    /** Connections of other clients. */
    enum Others {
        IDLE(""),
        HALF_A_REQUEST("GET /metrics HT"),
        NEVER_READING("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(300)),
        NEVER_READING_PROBES("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(120)),
        NEVER_SENDING_THEIR_BODY("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000\r\n\r\n"),
        KEPT_OPEN_AFTER_AN_ANSWER("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");

        private final String sent;

        Others(String sent) {
            this.sent = sent;
        }
    }

    @BeforeEach
    void start() throws IOException {
        // The server gives up no connection during the test.
        server = MetricsServer.builder().patience(Duration.ofMinutes(5)).start(pipeline);
    }

    @AfterEach
    void close() throws IOException {
        for (Socket each : others) {
            each.close();
        }
        server.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.setSoTimeout(20_000);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()), 20_000);
        return socket;
    }

    private String ask(String request) throws IOException {
        try (Socket probe = connect()) {
            probe.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(probe.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
        }
    }

    @ParameterizedTest
    @EnumSource
    void probe_whateverOthersDo_isAnswered(Others what) throws Exception {
        for (int i = 0; i < MANY; i++) {
            Socket other = connect();
            others.add(other);
            try {
                other.getOutputStream().write(what.sent.getBytes(StandardCharsets.US_ASCII));
            } catch (IOException cutAlready) {
                continue;
            }
            if (i % 25 == 0) {
                assertThat(ask(LIVE)).as("beside %d others", i + 1).isEqualTo("HTTP/1.1 200");
            }
        }
        for (int i = 0; i < 10; i++) {
            assertThat(ask(LIVE)).isEqualTo("HTTP/1.1 200");
        }
    }

    /** A virtual thread that computes keeps its carrier thread. */
    @Test
    void probe_whileHandlersCompute_isAnswered() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        int processors = Runtime.getRuntime().availableProcessors();
        CountDownLatch computing = new CountDownLatch(processors);
        List<Thread> handlers = new ArrayList<>();
        for (int i = 0; i < processors; i++) {
            handlers.add(Thread.ofVirtual().start(() -> {
                computing.countDown();
                while (!ended.get()) {
                    Thread.onSpinWait();
                }
            }));
        }
        try {
            computing.await();
            assertThat(ask(LIVE)).isEqualTo("HTTP/1.1 200");
        } finally {
            ended.set(true);
            for (Thread handler : handlers) {
                handler.join();
            }
        }
    }

    /** A scraper keeps its connection open. */
    @Test
    void connection_keptOpen_hasAnswersOneAfterTheOther() throws Exception {
        try (Socket scraper = connect()) {
            for (int i = 0; i < 3; i++) {
                scraper.getOutputStream().write(LIVE.getBytes(StandardCharsets.US_ASCII));
                StringBuilder head = new StringBuilder();
                while (head.indexOf("\r\n\r\n") < 0) {
                    head.append((char) scraper.getInputStream().read());
                }
                assertThat(head.toString()).startsWith("HTTP/1.1 200 OK\r\n");
                int length = Integer.parseInt(head.toString()
                        .lines()
                        .filter(line -> line.regionMatches(true, 0, "content-length: ", 0, 16))
                        .findFirst()
                        .orElseThrow()
                        .substring(16));
                assertThat(new String(scraper.getInputStream().readNBytes(length), StandardCharsets.UTF_8))
                        .startsWith("{\"live\":true");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "evil.example:9400",
                "localhost.evil.example",
                "evil_example:9400",
                "localhost_evil",
                "127.0.0.1.evil.example",
                "10.0.0.evil",
                "a b",
                "",
                "weir.example.com.evil",
                "notweir.example.com"
            })
    void host_ofSomebodyElse_isRefused(String host) throws Exception {
        server.close();
        server = MetricsServer.builder().serverName("weir.example.com").start(pipeline);
        for (String path : List.of("/metrics", "/", "/health/live", "/health/ready", "/nothing")) {
            assertThat(ask("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))
                    .as(path)
                    .isEqualTo("HTTP/1.1 403");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "localhost:9400",
                "127.0.0.1:9400",
                "10.244.1.7:9400",
                "[fd00::17]:9400",
                "[::1]",
                "WEIR.example.com:80",
                "Weir_Orders:9400",
                "a.pods.example.com",
                "weir-0.b.pods.example.com:9400"
            })
    void host_thatIsAnAddressOrAGivenName_isAnswered(String host) throws Exception {
        server.close();
        server = MetricsServer.builder()
                .serverName("weir.example.com")
                .serverName("weir_orders")
                .serverName("*.pods.example.com")
                .start(pipeline);
        for (String path : List.of("/metrics", "/health/live")) {
            assertThat(ask("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))
                    .isEqualTo("HTTP/1.1 200");
        }
        assertThat(ask("GET /health/live HTTP/1.0\r\n\r\n")).isEqualTo("HTTP/1.1 200");
    }

    @Test
    void serverName_thatIsNone_isRefused() {
        for (String name : List.of("", "a b", "http://x", "x:9400", "x_y:9400", "*", "*.", "a/b")) {
            assertThatThrownBy(() -> MetricsServer.builder().serverName(name))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("name of this server");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /metrics HTTP/1.1\r\n\r\n=400",
                "GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n=400",
                "GET /metrics HTTP/2.0\r\nHost: localhost\r\n\r\n=505",
                "GET  /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n=400",
                "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n=400",
                "GET / HTTP/1.1\r\nHost: localhost\r\n folded: x\r\n\r\n=400",
                "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n=411",
                "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx=400",
                "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n=400",
                "hello\r\n\r\n=400"
            })
    void request_thatMakesNoSense_isRefused(String request) throws Exception {
        int at = request.lastIndexOf('=');
        assertThat(ask(request.substring(0, at))).isEqualTo("HTTP/1.1 " + request.substring(at + 1));
        String many = "GET / HTTP/1.1\r\nHost: localhost\r\n" + "A: b\r\n".repeat(80) + "\r\n";
        assertThat(ask(many)).isEqualTo("HTTP/1.1 431");
    }

    /** Clients that do not read must not each keep a text of all meters in memory. */
    @Test
    void scrapes_thatNobodyReads_shareTheirTexts() throws Exception {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        String tag = "v".repeat(1_000);
        for (int i = 0; i < 3_000; i++) {
            registry.counter("shop.orders", "shop", tag + i).increment();
        }
        server.close();
        server = MetricsServer.builder()
                .registry(registry)
                .patience(Duration.ofMinutes(5))
                .start(pipeline);
        long before = used();
        for (int i = 0; i < 40; i++) {
            Socket reader = connect();
            others.add(reader);
            reader.getOutputStream()
                    .write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(reader.getInputStream().read()).isEqualTo('H');
        }
        assertThat(used() - before).isLessThan(30L << 20);
        assertThat(ask(LIVE)).isEqualTo("HTTP/1.1 200");
    }

    private static long used() {
        Runtime.getRuntime().gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
