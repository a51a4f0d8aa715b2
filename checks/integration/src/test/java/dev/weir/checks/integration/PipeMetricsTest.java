package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the metrics that {@code weir pipe --metrics} serves while it runs. */
class PipeMetricsTest {

    private static final Duration SOON = Duration.ofSeconds(40);
    private static final int RECORDS = 5_000;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static HttpResponse<String> get(String url) {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                    .timeout(Duration.ofSeconds(10))
                    .build();
            return client.send(request, BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static double value(String text, String meter) {
        Matcher line =
                Pattern.compile("(?m)^" + meter + "\\{[^}]*} ([0-9.E+-]+)$").matcher(text);
        return line.find() ? Double.parseDouble(line.group(1)) : -1;
    }

    @Test
    @Timeout(120)
    void runningPipe_scraped_countsItsRecords() {
        KAFKA.cluster().createTopic("in", 2);
        KAFKA.cluster().createTopic("out", 2);
        Records.produce(KAFKA.bootstrapServers(), "in", 0, RECORDS, 100);
        try (PipeProcess pipe = PipeProcess.start(
                "pipe",
                "--bootstrap-server=" + KAFKA.bootstrapServers(),
                "--from=in",
                "--to=out",
                "--group=seen",
                "--metrics=0",
                "--metrics-partitions",
                "--json")) {
            Matcher started = Pattern.compile(
                            "\\{\"event\":\"started\",\"pid\":\\d+,\"console\":null,\"metrics\":\"([^\"]+)\"}")
                    .matcher(pipe.awaitOut());
            assertThat(started.matches()).as(pipe.out()).isTrue();
            String url = started.group(1);
            assertThat(pipe.err().lines().findFirst()).hasValue("weir: metrics " + url);

            Awaitility.await().atMost(SOON).untilAsserted(() -> {
                String meters = get(url + "/metrics").body();
                assertThat(value(meters, "weir_stage_elements_in_total"))
                        .as(meters)
                        .isGreaterThanOrEqualTo(0);
                assertThat(value(meters, "weir_consumer_lag_records")).isZero();
                assertThat(meters).contains("stage=\"produce\"} " + RECORDS + ".0");
                assertThat(value(meters, "weir_consumer_partitions")).isEqualTo(2);
                assertThat(value(meters, "weir_consumer_commits_total")).isPositive();
                // The dashboard and the alert on restarts query these meters.
                assertThat(value(meters, "weir_partition_lag_records")).isZero();
                assertThat(meters)
                        .contains("weir_partition_lag_seconds{", "weir_partition_oldest_unfinished_seconds{")
                        .contains("weir_partition_outstanding_records{", "process_start_time_seconds ");
            });
            assertThat(get(url + "/health/live").statusCode()).isEqualTo(200);
            HttpResponse<String> ready = get(url + "/health/ready");
            assertThat(ready.statusCode()).isEqualTo(200);
            assertThat(ready.body()).isEqualTo("{\"live\":true,\"ready\":true,\"progressing\":true,\"reason\":\"\"}\n");

            pipe.signal("TERM");
            assertThat(pipe.exitCode(SOON)).as(pipe.err()).isZero();
            assertThat(pipe.out().lines().toList()).hasSize(2).last().asString().contains("\"records_out\":" + RECORDS);
        }
    }
}
