package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests {@code weir console --group}, which finds members through the brokers and combines them by topic. */
@Timeout(180)
class FleetTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ObjectMapper JSON = new ObjectMapper();

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static PipeProcess pipe(String group, String from, String to, String... more) {
        String[] args = {
            "pipe",
            "--bootstrap-server=" + KAFKA.bootstrapServers(),
            "--from=" + from,
            "--to=" + to,
            "--group=" + group,
            "--console"
        };
        String[] all = Arrays.copyOf(args, args.length + more.length);
        System.arraycopy(more, 0, all, args.length, more.length);
        return PipeProcess.start(all);
    }

    @Test
    void membersOfGroups_areFoundByTheBrokers_andTheSlowPipelineIsNamed() throws Exception {
        KAFKA.cluster().createTopic("raw", 2);
        KAFKA.cluster().createTopic("mid", 2);
        KAFKA.cluster().createTopic("end", 2);
        Map<String, Object> config = Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "group.id", "slow");
        try (PipeProcess quick = pipe("quick", "raw", "mid");
                PipeProcess slow = pipe("slow", "mid", "end", "--via=each:sleep 1");
                PipeProcess page = PipeProcess.start(
                        "console", "--bootstrap-server=" + KAFKA.bootstrapServers(), "--group=quick", "--group=slow");
                KafkaConsumer<byte[], byte[]> stranger =
                        new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
                HttpClient http = HttpClient.newHttpClient()) {
            await().atMost(PATIENCE).until(() -> page.err().contains("weir: console http"));
            URI state = URI.create(page.err()
                    .replaceFirst("(?s).*weir: console (http://[0-9.:]+).*", "$1")
                    .concat("/api/state"));
            Records.produce(KAFKA.bootstrapServers(), "raw", 0, 3_000);
            await().atMost(PATIENCE).untilAsserted(() -> {
                JsonNode view = view(http, state);
                assertThat(view.path("members"))
                        .as("%s %s %s", view, quick.err(), slow.err())
                        .hasSize(2)
                        .allMatch(each -> each.path("answers").asBoolean());
                assertThat(view.path("edges").toString())
                        .contains("{\"from\":\"quick\",\"to\":\"slow\",\"topic\":\"mid\"}");
                assertThat(view.at("/limits/candidates").toString()).isEqualTo("[\"slow\"]");
                assertThat(view.at("/limits/confidence").asText()).isEqualTo("sure");
            });
            stranger.subscribe(List.of("mid"));
            await().atMost(PATIENCE).untilAsserted(() -> {
                var ignored = stranger.poll(Duration.ofMillis(100));
                JsonNode first = view(http, state).at("/members/0");
                assertThat(first.path("answers").asBoolean()).isFalse();
                assertThat(first.path("reason").asText()).contains("its client.id names no console");
            });
            page.signal("TERM");
            assertThat(page.exitCode(PATIENCE)).as(page.err()).isZero();
        }
    }

    private static JsonNode view(HttpClient http, URI state) throws Exception {
        String body = http.send(HttpRequest.newBuilder(state).build(), BodyHandlers.ofString())
                .body();
        try {
            return JSON.readTree(body);
        } catch (JacksonException e) {
            throw new AssertionError(body, e);
        }
    }

    @Test
    void oneView_isPrintedAsJson_andAGroupThatIsNotThereIsSaid() {
        try (PipeProcess once = PipeProcess.start(
                "console", "--bootstrap-server=" + KAFKA.bootstrapServers(), "--group=nobody", "--json")) {
            assertThat(once.exitCode(PATIENCE)).as(once.err()).isZero();
            assertThat(once.out())
                    .contains("\"trouble\":[\"there is no group nobody at these brokers\"]", "\"members\":[]");
        }
    }
}
