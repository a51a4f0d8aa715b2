package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.metrics.http.HttpLimits;
import dev.weir.stream.DrainReport;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MetricsServerTest {

    /** The module's POM sets shorter time limits for tests. */
    private static final Duration GIVEN_UP = Duration.ofSeconds(20);

    private final StubPipeline pipeline = new StubPipeline("orders");
    private final StubConsumer consumer = new StubConsumer("[orders]");
    private final HttpClient client = HttpClient.newHttpClient();
    private MetricsServer server;

    @BeforeEach
    void start() throws IOException {
        consumer.partitions.add(StubConsumer.partition(0, Duration.ofSeconds(3), Paused.WINDOW));
        pipeline.stages.add(StubPipeline.stage("price", 100, 90));
        pipeline.handles.add(consumer);
        server = MetricsServer.builder().patience(Duration.ofSeconds(2)).start(pipeline);
    }

    @AfterEach
    void close() {
        server.close();
        client.close();
    }

    private HttpResponse<String> ask(String method, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.uri() + path))
                .timeout(Duration.ofSeconds(10))
                .method(method, BodyPublishers.noBody())
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private JsonNode json(HttpResponse<String> answer) throws IOException {
        return new ObjectMapper().readTree(answer.body());
    }

    @Test
    void metrics_asked_areInPrometheusText() throws Exception {
        HttpResponse<String> answer = ask("GET", "/metrics");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("content-type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain; version=0.0.4"));
        assertThat(answer.body())
                .contains("weir_stage_elements_in_total{pipeline=\"orders\",stage=\"price\"} 100.0")
                .contains("weir_consumer_paused{consumer=\"[orders]\",pipeline=\"orders\",reason=\"window\"} 1.0")
                .contains("process_cpu_usage")
                .contains("jvm_memory_used_bytes");
    }

    /** Compares the table's names with a scraper's. */
    @Test
    void names_inPrometheusText_areThoseOfTheTable() throws Exception {
        AllMeters.addTo(pipeline, server);
        Set<String> types = ask("GET", "/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("# TYPE weir_"))
                .map(line -> line.substring("# TYPE ".length()))
                .collect(Collectors.toSet());
        Set<String> table = PipelineMeters.ALL.stream()
                .flatMap(kind -> kind.meters().stream())
                .map(meter -> meter.prometheusName() + (meter.kind() == MeterSpec.Kind.COUNTER ? " counter" : " gauge"))
                .collect(Collectors.toSet());
        assertThat(types).isEqualTo(table);
    }

    @Test
    void health_ofWellPipeline_is200() throws Exception {
        for (String path : List.of("/health/live", "/health/ready")) {
            HttpResponse<String> answer = ask("GET", path);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(json(answer).get("live").asBoolean()).isTrue();
            assertThat(json(answer).get("ready").asBoolean()).isTrue();
            assertThat(json(answer).get("progressing").asBoolean()).isTrue();
            assertThat(json(answer).get("reason").asText()).isEmpty();
        }
    }

    @Test
    void health_ofConsumerThatStandsStill_staysLive() throws Exception {
        consumer.health = ConsumerHealth.of(true, false, false, "no \"position\" yet\n", null);
        assertThat(ask("GET", "/health/live").statusCode()).isEqualTo(200);
        HttpResponse<String> ready = ask("GET", "/health/ready");
        assertThat(ready.statusCode()).isEqualTo(503);
        assertThat(json(ready).get("progressing").asBoolean()).isFalse();
        assertThat(json(ready).get("reason").asText()).isEqualTo("orders: no \"position\" yet\n");
    }

    @Test
    void health_ofAShareGroupsMemberWithoutPartitions_isLiveAndNotReady() throws Exception {
        StubMember member = new StubMember();
        pipeline.handles.add(member);
        assertThat(ask("GET", "/health/ready").statusCode()).isEqualTo(200);
        member.health = ConsumerHealth.of(true, false, true, "no partitions", null);
        assertThat(ask("GET", "/health/live").statusCode()).isEqualTo(200);
        HttpResponse<String> ready = ask("GET", "/health/ready");
        assertThat(ready.statusCode()).isEqualTo(503);
        assertThat(json(ready).get("reason").asText()).isEqualTo("orders: no partitions");
    }

    @Test
    void health_ofDeadConsumer_is503() throws Exception {
        consumer.health = ConsumerHealth.of(false, false, true, "not polled for 400000 ms", null);
        assertThat(ask("GET", "/health/live").statusCode()).isEqualTo(503);
    }

    @Test
    void health_ofEndedPipeline_is503() throws Exception {
        pipeline.completion().complete(DrainReport.of(true, List.of(), Duration.ZERO, List.of()));
        HttpResponse<String> live = ask("GET", "/health/live");
        assertThat(live.statusCode()).isEqualTo(503);
        assertThat(json(live).get("reason").asText()).isEqualTo("orders has ended");
    }

    @Test
    void health_beforeThePipeline_isLiveAndNotReady() throws Exception {
        try (MetricsServer early = MetricsServer.builder().start()) {
            HttpRequest.Builder ask = HttpRequest.newBuilder();
            HttpRequest live = ask.uri(URI.create(early.uri() + "/health/live")).build();
            HttpRequest ready =
                    ask.uri(URI.create(early.uri() + "/health/ready")).build();
            assertThat(client.send(live, BodyHandlers.discarding()).statusCode())
                    .isEqualTo(200);
            assertThat(client.send(ready, BodyHandlers.discarding()).statusCode())
                    .isEqualTo(503);
            early.add(pipeline);
            assertThat(client.send(ready, BodyHandlers.discarding()).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void metrics_closedBefore_leaveTheEndpoint() throws Exception {
        StubPipeline second = new StubPipeline("returns");
        PipelineMetrics metrics = PipelineMetrics.of(second);
        server.add(metrics);
        assertThat(ask("GET", "/metrics").body()).contains("pipeline=\"returns\"");
        second.completion().complete(DrainReport.of(true, List.of(), Duration.ZERO, List.of()));
        assertThat(ask("GET", "/health/live").statusCode()).isEqualTo(503);
        metrics.close();
        assertThat(ask("GET", "/health/live").statusCode()).isEqualTo(200);
        assertThat(ask("GET", "/metrics").body()).doesNotContain("pipeline=\"returns\"");
    }

    @Test
    void registry_ofTheApplication_isShownAndStaysOpen() throws Exception {
        PrometheusMeterRegistry own = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        own.counter("shop.orders").increment();
        try (MetricsServer shown = MetricsServer.builder().registry(own).start(new StubPipeline("returns"))) {
            HttpRequest scrape =
                    HttpRequest.newBuilder(URI.create(shown.uri() + "/metrics")).build();
            assertThat(client.send(scrape, BodyHandlers.ofString()).body())
                    .contains("shop_orders_total 1.0")
                    .contains("weir_pipeline_running")
                    .doesNotContain("jvm_memory");
        }
        assertThat(own.isClosed()).isFalse();
        assertThat(own.scrape()).doesNotContain("weir_");
    }

    @Test
    void request_thatAsksForMore_isRefused() throws Exception {
        HttpResponse<String> post = ask("POST", "/metrics");
        assertThat(post.statusCode()).isEqualTo(405);
        assertThat(post.headers().firstValue("allow")).hasValue("GET, HEAD");
        assertThat(ask("DELETE", "/").statusCode()).isEqualTo(405);
        assertThat(ask("GET", "/config").statusCode()).isEqualTo(404);
        assertThat(ask("GET", "/metrics/../metrics/x").statusCode()).isEqualTo(404);
        assertThat(ask("GET", "/metrics?x=y").statusCode()).isEqualTo(200);
    }

    @Test
    void head_asked_hasNoBody() throws Exception {
        HttpResponse<String> head = ask("HEAD", "/metrics");
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(head.headers().firstValueAsLong("content-length").orElse(0)).isPositive();
        assertThat(ask("HEAD", "/health/ready").statusCode()).isEqualTo(200);
    }

    @Test
    void server_byDefault_listensOnLoopbackOnly() {
        assertThat(server.uri().getHost())
                .isEqualTo(InetAddress.getLoopbackAddress().getHostAddress());
        assertThat(server.port()).isPositive();
    }

    @Test
    void start_onTakenPortOrBadHost_fails() {
        assertThatThrownBy(() -> MetricsServer.builder().port(server.port()).start())
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() ->
                        MetricsServer.builder().host("no.such.host.invalid").start())
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> MetricsServer.builder().port(70_000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("70000");
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.setSoTimeout((int) GIVEN_UP.toMillis());
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
        return socket;
    }

    /** Waits until the server closes the connection. */
    private static boolean isClosed(Socket socket) throws IOException {
        try {
            socket.getInputStream().readAllBytes();
            return true;
        } catch (SocketException reset) {
            return true;
        }
    }

    @Test
    void headers_tooLarge_areCutOff() throws Exception {
        for (String start : List.of("GET /", "GET /metrics HTTP/1.1\r\nX: ")) {
            try (Socket socket = connect()) {
                OutputStream out = socket.getOutputStream();
                out.write(start.getBytes(StandardCharsets.US_ASCII));
                out.write("x".repeat(HttpLimits.MAX_HEADER_BYTES + 1).getBytes(StandardCharsets.US_ASCII));
                assertThat(isClosed(socket)).isTrue();
            }
        }
        assertThat(ask("GET", "/health/live").statusCode()).isEqualTo(200);
    }

    @Test
    void sender_thatIsSlow_isGivenUp() throws Exception {
        try (Socket socket = connect()) {
            socket.getOutputStream().write("GET /metrics".getBytes(StandardCharsets.US_ASCII));
            assertThat(isClosed(socket)).isTrue();
        }
    }

    @Test
    void reader_thatIsSlow_isGivenUp() throws Exception {
        try (Socket socket = connect()) {
            byte[] requests = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    .repeat(64)
                    .getBytes(StandardCharsets.US_ASCII);
            OutputStream out = socket.getOutputStream();
            // The client never reads, so the server can no longer write, and closes.
            assertThatThrownBy(() -> {
                        while (true) {
                            out.write(requests);
                        }
                    })
                    .isInstanceOf(SocketException.class);
        }
        assertThat(ask("GET", "/health/live").statusCode()).isEqualTo(200);
    }

    @Test
    void close_leavesNoThreadAndNoPort() throws Exception {
        ask("GET", "/metrics");
        server.close();
        await().atMost(GIVEN_UP)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .map(Thread::getName)
                        .noneMatch(name -> name.startsWith("weir-metrics")
                                || name.startsWith("HTTP-Dispatcher")
                                || name.equals("idle-timeout-task")
                                || name.equals("req-rsp-timeout-task")));
        assertThatThrownBy(this::connect).isInstanceOf(IOException.class);
    }
}
