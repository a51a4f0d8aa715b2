package dev.weir.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the tools with a server that returns a fixed state. */
class ConsoleToolsTest {

    private HttpServer server;
    private String state = "";

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/api/state", exchange -> {
            byte[] body = state.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private JsonNode call(String name, String partitions) throws Exception {
        state = """
                {"pipeline": "orders", "state": "running", "partitions": [%s]}
                """.formatted(partitions);
        PipelineProcess process =
                new PipelineProcess("http://127.0.0.1:" + server.getAddress().getPort(), null);
        Tool tool = new ConsoleTools(process)
                .all().stream()
                        .filter(each -> each.name().equals(name))
                        .findFirst()
                        .orElseThrow();
        Answer answer = new Answer();
        tool.work().answer(Arguments.of(tool, Answer.JSON.createObjectNode()), answer);
        return answer.whole();
    }

    private static String partition(int number, String lag) {
        return "{\"topic\": \"orders\", \"partition\": " + number + ", \"paused\": [\"credits\"]" + lag + "}";
    }

    @Test
    void lag_isTheSumOfAllPartitions() throws Exception {
        JsonNode answer = call("limiter", partition(0, ", \"lag\": 5") + "," + partition(1, ", \"lag\": 0"));
        assertThat(answer.path("evidence").path("lag").asLong(-1)).isEqualTo(5);
    }

    // Regression: an unknown lag counted as 0.
    @Test
    void lag_thatIsUnknownForAPartition_isUnknown() throws Exception {
        for (String unknown : new String[] {", \"lag\": -1", ""}) {
            JsonNode answer = call("limiter", partition(0, ", \"lag\": 5") + "," + partition(1, unknown));
            assertThat(answer.path("evidence").path("lag").asText()).isEqualTo("unknown");
            assertThat(answer.path("unknown"))
                    .anySatisfy(why -> assertThat(why.asText()).isEqualTo("the lag of 1 partitions is not known yet"));
            assertThat(call("why_stuck", partition(1, unknown))
                            .path("oldest_unfinished")
                            .path(0)
                            .path("lag")
                            .asText())
                    .isEqualTo("unknown");
        }
    }
}
