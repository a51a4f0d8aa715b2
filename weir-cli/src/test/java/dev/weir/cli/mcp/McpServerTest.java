package dev.weir.cli.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.cli.mcp.Arguments.Parameter;
import dev.weir.command.terminal.CliFailure;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the protocol. {@code McpTest} of the integration checks uses the official client and a real pipeline. */
@Timeout(60)
class McpServerTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);

    private final McpServer server = new McpServer(
            List.of(
                    tool(
                            "echo",
                            (arguments, answer) -> answer.fields()
                                    .put("text", arguments.text("text"))
                                    .put("number", arguments.number("number"))
                                    .put("flag", arguments.flag("flag"))),
                    tool("refuse", (arguments, answer) -> {
                        throw CliFailure.work("nothing listens there", "Start it.");
                    }),
                    tool("break", (arguments, answer) -> {
                        throw new IllegalStateException("with a secret");
                    }),
                    tool("wait", (arguments, answer) -> {
                        begun.countDown();
                        try {
                            new CountDownLatch(1).await();
                        } finally {
                            interrupted.countDown();
                        }
                    }),
                    tool("doubt", (arguments, answer) -> answer.unknown("lag", "nothing was committed"))),
            "1",
            "",
            Duration.ofMillis(500),
            new PrintStream(out, true, UTF_8));

    private static Tool tool(String name, Tool.Work work) {
        return new Tool(
                name,
                name,
                name,
                Map.of(
                        "text", new Parameter.Text("a text"),
                        "number", new Parameter.Count("a number", 1, 30, 5),
                        "flag", new Parameter.Flag("a flag")),
                List.of(),
                work);
    }

    private static String request(Object id, String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}";
    }

    private static String call(Object id, String tool, String arguments) {
        return request(id, "tools/call", "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}");
    }

    private List<JsonNode> answers(String... lines) throws Exception {
        return answers(new ByteArrayInputStream(String.join("\n", lines).getBytes(UTF_8)));
    }

    private List<JsonNode> answers(InputStream in) throws Exception {
        server.serve(in);
        List<JsonNode> answers = new ArrayList<>();
        for (String line : out.toString(UTF_8).lines().toList()) {
            answers.add(JSON.readTree(line));
            assertThat(answers.getLast().path("jsonrpc").asText()).isEqualTo("2.0");
        }
        return answers;
    }

    @ParameterizedTest
    @CsvSource({
        "2024-11-05,2024-11-05",
        "2025-03-26,2024-11-05",
        "2025-06-18,2025-06-18",
        "2025-11-25,2025-11-25",
        "2099-01-01,2025-11-25",
        "1999-01-01,2025-11-25",
    })
    void initialize_ofEachRevision_isAnsweredByOneThatIsKnown(String asked, String answered) throws Exception {
        JsonNode result = answers(request(1, "initialize", "{\"protocolVersion\":\"" + asked + "\"}"))
                .getFirst()
                .path("result");
        assertThat(result.path("protocolVersion").asText()).isEqualTo(answered);
        assertThat(result.at("/capabilities/tools").isObject()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"jsonrpc\":\"2.0\",\"id\":1,|-32700",
                "{} {}|-32700",
                "[]|-32600",
                "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]|-32600",
                "7|-32600",
                "{\"id\":1,\"method\":\"ping\"}|-32600",
                "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1}|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}|-32601",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}|-32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}|-32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}}|-32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}|-32602",
            })
    void badMessage_isAProtocolError_andTheNextIsAnswered(String message, int code) throws Exception {
        List<JsonNode> answers = answers(message, request(2, "ping", "{}"));
        assertThat(answers).hasSize(2);
        assertThat(answers.getFirst().at("/error/code").asInt()).isEqualTo(code);
        assertThat(answers.getFirst().at("/error/message").asText()).isNotBlank();
        assertThat(answers.get(1).path("result").isObject()).isTrue();
    }

    /** Regression: a message in an encoding that the parser does not know ended the server. */
    @Test
    void messageInAnUnknownEncoding_isNoJson_andTheNextIsAnswered() throws Exception {
        ByteArrayOutputStream in = new ByteArrayOutputStream();
        in.write(new byte[] {0, 0, (byte) 0xFF, (byte) 0xFE, '\n'});
        in.write(request(2, "ping", "{}").getBytes(UTF_8));
        List<JsonNode> answers = answers(new ByteArrayInputStream(in.toByteArray()));
        assertThat(answers).hasSize(2);
        assertThat(answers.getFirst().at("/error/code").asInt()).isEqualTo(-32700);
        assertThat(answers.get(1).path("result").isObject()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"name\":\"none\"}",
                "{\"name\":7}",
                "{\"name\":\"echo\",\"arguments\":[]}",
                "{\"name\":\"echo\",\"arguments\":{\"other\":1}}",
                "{\"name\":\"echo\",\"arguments\":{\"number\":\"5\"}}",
                "{\"name\":\"echo\",\"arguments\":{\"number\":0}}",
                "{\"name\":\"echo\",\"arguments\":{\"number\":31}}",
                "{\"name\":\"echo\",\"arguments\":{\"number\":1.5}}",
                "{\"name\":\"echo\",\"arguments\":{\"text\":\" \"}}",
                "{\"name\":\"echo\",\"arguments\":{\"flag\":\"true\"}}",
            })
    void badArguments_areInvalidParams(String params) throws Exception {
        JsonNode answer = answers(request(1, "tools/call", params)).getFirst();
        assertThat(answer.path("id").asInt()).isEqualTo(1);
        assertThat(answer.at("/error/code").asInt()).isEqualTo(-32602);
    }

    @Test
    void call_withArgumentsAndDefaults_isAnsweredAsTextAndAsObject() throws Exception {
        JsonNode result = answers(call("\"a\"", "echo", "{\"text\":\"zwölf\\u2028\\n\",\"flag\":true}"))
                .getFirst()
                .path("result");
        assertThat(result.path("isError").asBoolean()).isFalse();
        assertThat(result.at("/structuredContent/text").asText()).isEqualTo("zwölf\u2028\n");
        assertThat(result.at("/structuredContent/number").asInt()).isEqualTo(5);
        assertThat(JSON.readTree(result.at("/content/0/text").asText())).isEqualTo(result.path("structuredContent"));
    }

    @Test
    void call_thatCannotFindOut_isAResultWithTheWayOut() throws Exception {
        JsonNode result = answers(call(1, "refuse", "{}")).getFirst().path("result");
        assertThat(result.path("isError").asBoolean()).isTrue();
        assertThat(result.at("/content/0/text").asText()).isEqualTo("nothing listens there. Start it.");
    }

    @Test
    void call_thatBreaks_isAnInternalError_withoutWhatBroke() throws Exception {
        JsonNode answer = answers(call(1, "break", "{}")).getFirst();
        assertThat(answer.at("/error/code").asInt()).isEqualTo(-32603);
        assertThat(answer.toString()).doesNotContain("secret");
    }

    @Test
    void field_withoutEvidence_isUnknown_andSaysWhy() throws Exception {
        JsonNode result = answers(call(1, "doubt", "{}")).getFirst().at("/result/structuredContent");
        assertThat(result.path("lag").asText()).isEqualTo("unknown");
        assertThat(result.at("/unknown/0").asText()).isEqualTo("nothing was committed");
    }

    @Test
    void tooLongMessage_isRefused_andTheNextIsAnswered() throws Exception {
        String longest = request(1, "ping", "{\"x\":\"" + "y".repeat(MessageReader.MAX_BYTES) + "\"}");
        List<JsonNode> answers = answers(longest, "", " \r", request(2, "ping", "{}"));
        assertThat(answers).hasSize(2);
        assertThat(answers.getFirst().at("/error/code").asInt()).isEqualTo(-32600);
        assertThat(answers.getFirst().path("id").isNull()).isTrue();
        assertThat(answers.get(1).path("id").asInt()).isEqualTo(2);
    }

    @Test
    void notifications_andAnswers_areNotAnswered() throws Exception {
        assertThat(answers(
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/of-tomorrow\",\"params\":{}}",
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":9}}",
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}"))
                .isEmpty();
    }

    @Test
    void cancelledCall_isInterrupted_andNotAnswered_andAPingMeanwhileIs() throws Exception {
        PipedOutputStream input = new PipedOutputStream();
        try (PipedInputStream in = new PipedInputStream(input, 8192)) {
            Thread client = Thread.ofVirtual().start(() -> {
                try {
                    write(input, call(7, "wait", "{}"));
                    begun.await();
                    write(input, call(7, "echo", "{}")); // Its id is taken.
                    write(input, request(8, "ping", "{}"));
                    write(
                            input,
                            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                                    + "\"params\":{\"requestId\":7,\"reason\":\"enough\"}}");
                    interrupted.await();
                    input.close();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            List<JsonNode> answers = answers(in);
            client.join();
            assertThat(answers).hasSize(2);
            assertThat(answers.getFirst().at("/error/code").asInt()).isEqualTo(-32600);
            assertThat(answers.get(1).path("id").asInt()).isEqualTo(8);
        }
    }

    private static void write(PipedOutputStream to, String line) throws Exception {
        to.write((line + "\n").getBytes(UTF_8));
        to.flush();
    }

    /** Calls beyond the limit are refused. Waiting calls are given up after the end of the input. */
    @Test
    void callsBeyondTheBound_areRefused() throws Exception {
        String[] lines = new String[McpServer.MOST_CALLS + 1];
        for (int i = 0; i < lines.length; i++) {
            lines[i] = call(i, "wait", "{}");
        }
        List<JsonNode> answers = answers(lines);
        assertThat(answers.getFirst().at("/error/code").asInt()).isEqualTo(-32000);
        assertThat(answers.getFirst().path("id").asInt()).isEqualTo(McpServer.MOST_CALLS);
    }

    @Test
    void tools_areListedWithTheirSchemas_asReadOnly() throws Exception {
        JsonNode tools = answers(request(1, "tools/list", "{}")).getFirst().at("/result/tools");
        assertThat(tools).hasSize(5);
        for (JsonNode tool : tools) {
            assertThat(tool.at("/annotations/readOnlyHint").asBoolean()).isTrue();
            assertThat(tool.at("/inputSchema/additionalProperties").asBoolean(true))
                    .isFalse();
            assertThat(tool.at("/inputSchema/properties/number/maximum").asInt())
                    .isEqualTo(30);
        }
    }
}
