package dev.weir.examples.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;

/** Tests the application with its web server. The broker is a bean. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class InvoicingApplicationTest {

    private static final int ORDERS = 2_000;
    private static final int CUSTOMERS = 50;
    private static final Duration LONG = Duration.ofMinutes(2);

    /** The cluster is a bean. The starter connects the application to it. */
    @TestConfiguration(proxyBeanMethods = false)
    static class Broker {
        @Bean
        KafkaCluster kafka() {
            KafkaCluster cluster = KafkaCluster.builder().start();
            List.of("orders", "invoices", "orders-failed").forEach(topic -> cluster.createTopic(topic, 6));
            return cluster;
        }
    }

    @Autowired
    private KafkaCluster kafka;

    @LocalServerPort
    private int port;

    @Test
    void orders_becomeInvoices_andTheEndpointsSayHowItGoes() throws Exception {
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(get("/actuator/health/readiness"))
                        .startsWith("200")
                        .contains("\"UP\""));
        Records.produce(kafka.bootstrapServers(), "orders", 0, ORDERS, CUSTOMERS);
        await().atMost(LONG).until(() -> kafka.committedOffsets("invoicing").equals(kafka.endOffsets("orders")));

        assertThat(Records.readAll(kafka.bootstrapServers(), "invoices", IsolationLevel.READ_UNCOMMITTED))
                .hasSize(ORDERS)
                .anySatisfy(invoice ->
                        assertThat(new String(invoice.value(), UTF_8)).isEqualTo("1999 pieces, 499750 cents"));
        assertThat(get("/actuator/health/liveness")).startsWith("200").contains("\"UP\"");
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(get("/actuator/prometheus"))
                        .contains("weir_pipeline_running{pipeline=\"invoicing\"} 1.0"));
    }

    private String get(String path) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        }
    }
}
