package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.kafka.ConsumerDump.Paused;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the endpoint with a real Prometheus: its scrapes, each query of the dashboard, and each alert rule. */
@Timeout(120)
class PrometheusTest {

    private static final Duration SOON = Duration.ofMinutes(1);

    @TempDir
    private Path folder;

    private final ObjectMapper json = new ObjectMapper();

    private static Optional<Path> executable() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).resolve("prometheus"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    @Test
    void queries_ofDashboardAndRules_areAnswered() throws Exception {
        Optional<Path> prometheus = executable();
        if (prometheus.isEmpty()) {
            String missing = "no prometheus on the PATH: apt-get install prometheus";
            assertThat(System.getenv("CI")).as(missing).isNotEqualTo("true");
            Assumptions.abort(missing);
        }
        StubPipeline pipeline = new StubPipeline("orders");
        StubConsumer consumer = new StubConsumer("[orders]");
        consumer.partitions.add(StubConsumer.partition(0, Duration.ofSeconds(3), Paused.WINDOW));
        pipeline.stages.add(StubPipeline.stage("price", 100, 90));
        pipeline.handles.add(consumer);
        try (MetricsServer server = MetricsServer.builder().start(pipeline);
                HttpClient client = HttpClient.newHttpClient()) {
            AllMeters.addTo(pipeline, server);
            int port = freePort();
            Process process = start(prometheus.orElseThrow(), port, server.port());
            try {
                evaluate(client, "http://127.0.0.1:" + port);
            } finally {
                process.destroy();
                process.waitFor();
            }
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Process start(Path executable, int port, int scraped) throws IOException {
        Path config = Files.writeString(folder.resolve("prometheus.yaml"), """
                global:
                  scrape_interval: 500ms
                  evaluation_interval: 500ms
                rule_files: ["%s"]
                scrape_configs:
                  - job_name: weir
                    static_configs:
                      - targets: ["127.0.0.1:%d"]
                """.formatted(GrafanaFiles.RULES, scraped));
        return new ProcessBuilder(
                        executable.toString(),
                        "--config.file=" + config,
                        "--storage.tsdb.path=" + folder.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("prometheus.log").toFile())
                .start();
    }

    private void evaluate(HttpClient client, String address) throws Exception {
        await("two scrapes")
                .atMost(SOON)
                .ignoreExceptions()
                .until(() -> ask(
                                        client,
                                        address + "/api/v1/query?query="
                                                + encoded("count_over_time(weir_pipeline_running[1m])"))
                                .at("/data/result/0/value/1")
                                .asInt()
                        >= 2);
        List<String> unanswered = new ArrayList<>();
        for (String query : GrafanaFiles.queries()) {
            JsonNode answer = ask(client, address + "/api/v1/query?query=" + encoded(query));
            assertThat(answer.get("status").asText())
                    .as("%s: %s", query, answer)
                    .isEqualTo("success");
            // Without a garbage collection, there are no pauses.
            if (answer.at("/data/result").isEmpty() && !query.contains("jvm_gc_pause")) {
                unanswered.add(query);
            }
        }
        assertThat(unanswered).isEmpty();
        await("rules")
                .atMost(SOON)
                .until(() -> healthOfRules(client, address).stream().noneMatch("unknown"::equals));
        assertThat(healthOfRules(client, address))
                .hasSize(GrafanaFiles.ruleExpressions().size())
                .containsOnly("ok");
    }

    private List<String> healthOfRules(HttpClient client, String address) throws Exception {
        return ask(client, address + "/api/v1/rules").findValuesAsText("health");
    }

    private JsonNode ask(HttpClient client, String url) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofSeconds(10))
                .build();
        return json.readTree(client.send(request, BodyHandlers.ofString()).body());
    }

    private static String encoded(String query) {
        return URLEncoder.encode(query, StandardCharsets.UTF_8);
    }
}
