package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.testkit.KafkaCluster;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a {@code weir mcp} process with the official MCP client. {@code McpServerTest} tests the protocol. */
@Timeout(180)
class McpTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A script for partition 0: offset 0 passes, 1 fails, 2 never ends. */
    private static final String SCRIPT =
            "read -r l; case $l in bad*) exit 1;; stuck*) exec sleep 300;; *) echo \"$l\";; esac";

    private static final int BEHIND = 40;

    private static KafkaCluster cluster;
    private static PipeProcess pipe;
    private static String console;
    private static McpSyncClient client;

    @BeforeAll
    static void start() {
        cluster = KafkaCluster.builder().start();
        cluster.createTopic("in", 2);
        cluster.createTopic("out", 1);
        cluster.createTopic("dead", 2);
        pipe = PipeProcess.start(
                "pipe",
                "--bootstrap-server=" + cluster.bootstrapServers(),
                "--from=in",
                "--to=out",
                "--group=agents",
                "--via=each:" + SCRIPT,
                "--ordering=partition",
                "--dead-letter=dead",
                "--console",
                "--json");
        String started = pipe.awaitOut().lines().findFirst().orElseThrow();
        console = read(started).path("console").asText();
        assertThat(console).as(pipe::err).startsWith("http://");
        produce();
        client = client("--url", console, "--bootstrap-server", cluster.bootstrapServers());
        client.initialize();
    }

    @AfterAll
    static void stop() {
        client.closeGracefully();
        pipe.close();
        cluster.close();
    }

    private static void produce() {
        Map<String, Object> config = Map.of("bootstrap.servers", cluster.bootstrapServers());
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
            Stream<String> values = Stream.concat(
                    Stream.of("good", "bad", "stuck"),
                    Stream.generate(() -> "behind").limit(BEHIND));
            values.forEach(value -> {
                var ignored = producer.send(new ProducerRecord<>("in", 0, "key", value));
            });
        }
    }

    private static McpSyncClient client(String... args) {
        List<String> command = new ArrayList<>(ChildJvm.command());
        command.addAll(List.of("dev.weir.cli.Main", "mcp"));
        command.addAll(List.of(args));
        ServerParameters server = ServerParameters.builder(command.getFirst())
                .args(command.subList(1, command.size()))
                .build();
        return McpClient.sync(new StdioClientTransport(server, McpJsonDefaults.getMapper()))
                .requestTimeout(PATIENCE)
                .initializationTimeout(PATIENCE)
                .build();
    }

    private static JsonNode ask(String tool, Map<String, Object> arguments) {
        McpSchema.CallToolResult result = client.callTool(request(tool, arguments));
        JsonNode found = JSON.valueToTree(result.structuredContent());
        assertThat(result.isError()).as("%s", result.content()).isFalse();
        return found;
    }

    private static McpSchema.CallToolRequest request(String tool, Map<String, Object> arguments) {
        return McpSchema.CallToolRequest.builder(tool).arguments(arguments).build();
    }

    private static JsonNode read(String json) {
        try {
            return JSON.readTree(json);
        } catch (IOException e) {
            throw new AssertionError(json, e);
        }
    }

    @Test
    void tools_areTheSixThatRead() {
        assertThat(client.getServerInfo().name()).isEqualTo("weir");
        List<McpSchema.Tool> tools = client.listTools().tools();
        assertThat(tools)
                .extracting(McpSchema.Tool::name)
                .containsExactly("state", "limiter", "why_stuck", "profile", "lag", "dead_letters");
        assertThat(tools).allMatch(tool -> tool.annotations().readOnlyHint());
        client.ping();
    }

    @Test
    void state_tellsThePipelineItsTopicsAndStages() {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(ask("state", Map.of()).path("writes"))
                        .extracting(JsonNode::asText)
                        .contains("out"));
        JsonNode state = ask("state", Map.of());
        assertThat(state.path("state").asText()).isEqualTo("running");
        assertThat(state.path("live").asBoolean()).isTrue();
        assertThat(state.path("reads").asText()).contains("in");
        assertThat(state.path("stages")).isNotEmpty();
        assertThat(state.path("partitions").asInt()).isEqualTo(2);
    }

    @Test
    void limiter_comesWithItsEvidence() {
        JsonNode limiter = ask("limiter", Map.of());
        assertThat(limiter.at("/evidence/stages")).isNotEmpty();
        assertThat(limiter.path("limiter").isObject()
                        || limiter.path("limiter").asText().equals("unknown"))
                .isTrue();
    }

    @Test
    void whyStuck_namesTheRecordThatStays_andItsStage() {
        await().atMost(PATIENCE).untilAsserted(() -> {
            JsonNode oldest = ask("why_stuck", Map.of()).at("/oldest_unfinished/0");
            assertThat(oldest.path("topic").asText()).isEqualTo("in");
            assertThat(oldest.path("partition").asInt()).isZero();
            assertThat(oldest.path("offset").asInt()).isEqualTo(2);
            assertThat(oldest.path("stage").asText()).contains("in flight");
        });
    }

    @Test
    void lag_ofTheGroup_isToldInRecordsAndTime_andUnknownWhereNothingWasCommitted() {
        await().atMost(PATIENCE).untilAsserted(() -> {
            JsonNode lag = ask("lag", Map.of("group", "agents"));
            JsonNode first = lag.at("/partitions/0");
            assertThat(first.path("committed").asInt()).isEqualTo(2);
            assertThat(first.path("lag").asInt()).isEqualTo(BEHIND + 1);
            assertThat(first.path("lag_ms").isNumber()).isTrue();
            assertThat(first.path("lag_ms").asLong()).isPositive();
        });
        // The member's own report, without the brokers.
        JsonNode own = ask("lag", Map.of());
        assertThat(own.path("source").asText()).isEqualTo("console");
        assertThat(own.at("/partitions/0/lag").asInt()).isEqualTo(BEHIND + 1);
    }

    @Test
    void deadLetters_areListedWithTheirOrigin_andTheirPayloadsOnlyWhenAskedFor() {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                ask("dead_letters", Map.of("topic", "dead")).path("records"))
                        .hasSize(1));
        JsonNode record = ask("dead_letters", Map.of("topic", "dead")).at("/records/0");
        assertThat(record.at("/origin/topic").asText()).isEqualTo("in");
        assertThat(record.at("/origin/offset").asInt()).isEqualTo(1);
        assertThat(record.path("reason").asText()).isNotBlank();
        assertThat(record.has("value")).isFalse();
        JsonNode shown = ask("dead_letters", Map.of("topic", "dead", "limit", 1, "payloads", true));
        assertThat(shown.at("/records/0/value").asText()).isEqualTo("bad");
    }

    @Test
    void profile_isRecordedInTheOtherProcess() {
        JsonNode profile = ask("profile", Map.of("seconds", 1));
        assertThat(profile.path("seconds").asDouble()).isBetween(0.5, 30.0);
        assertThat(profile.path("stages").isArray()).isTrue();
    }

    @Test
    void badInput_isAProtocolError_andWhatCannotBeFoundOutAnErrorWithTheWayOut() {
        for (McpSchema.CallToolRequest wrong : List.of(
                request("steer", Map.of()),
                request("profile", Map.of("seconds", 3_000)),
                request("lag", Map.of("topic", "in")),
                request("dead_letters", Map.of()))) {
            McpError error = catchThrowableOfType(McpError.class, () -> client.callTool(wrong));
            assertThat(error.getJsonRpcError().code()).isEqualTo(-32602);
        }
        for (McpSchema.CallToolRequest absent : List.of(
                request("lag", Map.of("group", "nobody")), request("dead_letters", Map.of("topic", "nothing")))) {
            McpSchema.CallToolResult result = client.callTool(absent);
            assertThat(result.isError()).isTrue();
            assertThat(result.content().toString()).contains("there is no");
        }
    }

    @Test
    void otherTargets_areAsked_andTheirErrorsTold() {
        McpSyncClient byPid = client("--pid", Long.toString(pipe.pid()));
        McpSyncClient absent = client("http://127.0.0.1:1");
        try {
            byPid.initialize();
            assertThat(byPid.callTool(request("state", Map.of())).isError()).isFalse();
            assertThat(byPid.callTool(request("dead_letters", Map.of("topic", "dead")))
                            .content()
                            .toString())
                    .contains("--bootstrap-server");
            absent.initialize();
            assertThat(absent.callTool(request("state", Map.of())).content().toString())
                    .contains("nothing listens there");
        } finally {
            byPid.closeGracefully();
            absent.closeGracefully();
        }
    }

    @Test
    void process_endsWithItsInput_andWroteNothingButProtocol() {
        try (PipeProcess server = PipeProcess.start("mcp", "--url", console, "--verbose")) {
            server.type(
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"state\"}}\nno\n");
            await().atMost(PATIENCE)
                    .until(() ->
                            server.out().lines().count() == 2 && server.out().endsWith("\n"));
            server.closeInput();
            assertThat(server.exitCode(PATIENCE)).as(server.err()).isZero();
            assertThat(server.out().lines())
                    .hasSize(2)
                    .allMatch(line -> read(line).path("jsonrpc").asText().equals("2.0"));
        }
    }
}
