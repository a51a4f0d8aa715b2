package dev.weir.cli.mcp;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.Secrets;
import dev.weir.stream.spi.Thrown;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A server for tools of the Model Context Protocol: JSON-RPC 2.0 over two streams, one message per line. One thread
 * calls {@link #serve}. Each tool call has its own virtual thread, so that pings are answered meanwhile.
 */
final class McpServer {

    /** Supported protocol revisions, oldest first. 2025-03-26 is missing because it requires batches of messages. */
    static final List<String> REVISIONS = List.of("2024-11-05", "2025-06-18", "2025-11-25");

    static final int MOST_CALLS = 8;

    /** Default time for calls in flight after the end of the input. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Logger LOG = System.getLogger(McpServer.class.getName());

    private static final int MAX_DEPTH = 64;

    private static final ObjectMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .maxStringLength(MessageReader.MAX_BYTES)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final Map<String, Tool> tools;
    private final String version;
    private final String instructions;
    private final Duration patience;
    private final PrintStream out;

    private final ReentrantLock writing = new ReentrantLock();
    private final Semaphore room = new Semaphore(MOST_CALLS);

    private final Map<JsonNode, Call> calls = new ConcurrentHashMap<>();

    /**
     * Creates a server.
     *
     * @param version of this program
     * @param instructions for the agent
     * @param patience time for calls in flight after the input has ended
     * @param out used only for the protocol from now on
     */
    McpServer(List<Tool> tools, String version, String instructions, Duration patience, PrintStream out) {
        Map<String, Tool> byName = new LinkedHashMap<>();
        tools.forEach(tool -> byName.put(tool.name(), tool));
        this.tools = Collections.unmodifiableMap(byName);
        this.version = version;
        this.instructions = instructions;
        this.patience = patience;
        this.out = out;
    }

    /** Answers requests until the input ends or the client stops reading the output. */
    void serve(InputStream in) throws IOException, InterruptedException {
        MessageReader messages = new MessageReader(in);
        ExecutorService threads = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("weir-mcp-call-", 0).factory());
        try {
            for (MessageReader.Line line = messages.next(); line != null && !out.checkError(); line = messages.next()) {
                switch (line) {
                    case MessageReader.Line.TooLong() ->
                        fail(
                                NullNode.getInstance(),
                                RpcException.INVALID_REQUEST,
                                "a message has at most " + MessageReader.MAX_BYTES + " bytes");
                    case MessageReader.Line.Message message -> take(message.json(), threads);
                }
            }
            threads.shutdown();
            boolean ignored = threads.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            threads.shutdownNow();
        }
    }

    private void take(byte[] line, ExecutorService threads) {
        JsonNode message;
        try {
            message = JSON.readTree(line);
        } catch (IOException e) { // Jackson throws exceptions of the JDK for some encodings
            String why = e instanceof JacksonException json ? json.getOriginalMessage() : Thrown.reason(e);
            fail(NullNode.getInstance(), RpcException.PARSE_ERROR, "not JSON: " + why);
            return;
        }
        JsonNode id = message.path("id");
        boolean isRequest = id.isTextual() || id.isIntegralNumber();
        JsonNode answerTo = isRequest ? id : NullNode.getInstance();
        try {
            if (message.has("result") || message.has("error")) {
                // Ignore responses: the server sends no requests.
                return;
            }
            require(message.isObject(), "a message is one object; batches are not taken");
            require("2.0".equals(message.path("jsonrpc").textValue()), "jsonrpc must be \"2.0\"");
            require(message.path("method").isTextual(), "method must be a text");
            require(isRequest || id.isMissingNode(), "id must be a text or a whole number");
            String method = message.path("method").textValue();
            JsonNode params = message.path("params");
            require(params.isMissingNode() || params.isObject(), "params must be an object");
            if (!isRequest) {
                noted(method, params);
            } else if (method.equals("tools/call")) {
                call(id, params, threads);
            } else {
                answer(id, result(method, params));
            }
        } catch (RpcException e) {
            fail(answerTo, e.code(), String.valueOf(e.getMessage()));
        }
    }

    private static void require(boolean holds, String otherwise) throws RpcException {
        if (!holds) {
            throw new RpcException(RpcException.INVALID_REQUEST, otherwise);
        }
    }

    private ObjectNode result(String method, JsonNode params) throws RpcException {
        return switch (method) {
            case "initialize" -> initialized(params);
            case "ping" -> JSON.createObjectNode();
            case "tools/list" -> listed(params);
            default ->
                throw new RpcException(
                        RpcException.METHOD_NOT_FOUND,
                        "no method " + method + "; there are initialize, ping, tools/list and tools/call");
        };
    }

    private ObjectNode initialized(JsonNode params) throws RpcException {
        String asked = params.path("protocolVersion").textValue();
        if (asked == null) {
            throw RpcException.invalidParams("initialize needs protocolVersion, a text");
        }
        ObjectNode result = JSON.createObjectNode();
        result.put("protocolVersion", revision(asked));
        result.putObject("capabilities").putObject("tools").put("listChanged", false);
        result.putObject("serverInfo").put("name", "weir").put("title", "Weir").put("version", version);
        result.put("instructions", instructions);
        return result;
    }

    /** Returns the newest supported revision up to the requested one, or the newest of all. Revisions are dates. */
    private static String revision(String asked) {
        return REVISIONS.reversed().stream()
                .filter(each -> each.compareTo(asked) <= 0)
                .findFirst()
                .orElse(REVISIONS.getLast());
    }

    private ObjectNode listed(JsonNode params) throws RpcException {
        if (params.has("cursor")) {
            throw RpcException.invalidParams("no such cursor: all tools are on the first page");
        }
        ObjectNode result = JSON.createObjectNode();
        var list = result.putArray("tools");
        for (Tool tool : tools.values()) {
            ObjectNode each = list.addObject();
            each.put("name", tool.name()).put("title", tool.title()).put("description", tool.description());
            ObjectNode schema = each.putObject("inputSchema").put("type", "object");
            ObjectNode properties = schema.putObject("properties");
            tool.parameters().forEach((name, parameter) -> {
                ObjectNode property = properties.putObject(name);
                parameter.writeTo(property);
                property.put("description", parameter.description());
            });
            if (!tool.required().isEmpty()) {
                var required = schema.putArray("required");
                tool.required().forEach(required::add);
            }
            schema.put("additionalProperties", false);
            each.putObject("annotations")
                    .put("readOnlyHint", true)
                    .put("destructiveHint", false)
                    .put("idempotentHint", true)
                    .put("openWorldHint", false);
        }
        return result;
    }

    private void noted(String method, JsonNode params) {
        if (method.equals("notifications/cancelled")) {
            Call call = calls.get(params.path("requestId"));
            if (call != null) {
                call.cancel();
            }
        }
    }

    private void call(JsonNode id, JsonNode params, ExecutorService threads) throws RpcException {
        String name = params.path("name").textValue();
        Tool tool = name == null ? null : tools.get(name);
        if (tool == null) {
            throw RpcException.invalidParams((name == null ? "tools/call needs the name of a tool" : "no tool " + name)
                    + "; there are " + String.join(", ", tools.keySet()));
        }
        Arguments arguments = Arguments.of(tool, params.path("arguments"));
        require(!calls.containsKey(id), "another call with this id is under way: " + id);
        if (!room.tryAcquire()) {
            throw new RpcException(
                    RpcException.BUSY, MOST_CALLS + " calls are under way: ask again when one has been answered");
        }
        Call call = new Call(tool, arguments);
        calls.put(id, call);
        threads.execute(() -> {
            try {
                run(id, call);
            } finally {
                calls.remove(id, call);
                room.release();
            }
        });
    }

    /** One call, until it is answered or cancelled. */
    private static final class Call {

        final Tool tool;
        final Arguments arguments;

        /** True once the call has been answered or cancelled. */
        final AtomicBoolean settled = new AtomicBoolean();

        private volatile @Nullable Thread thread;

        Call(Tool tool, Arguments arguments) {
            this.tool = tool;
            this.arguments = arguments;
        }

        Answer answer() throws InterruptedException {
            thread = Thread.currentThread();
            // The call was cancelled before it began.
            if (settled.get()) {
                throw new InterruptedException();
            }
            Answer answer = new Answer();
            tool.work().answer(arguments, answer);
            return answer;
        }

        void cancel() {
            settled.set(true);
            Thread working = thread;
            if (working != null) {
                working.interrupt();
            }
        }
    }

    private void run(JsonNode id, Call call) {
        String name = call.tool.name();
        try {
            ObjectNode found = call.answer().whole();
            settle(call, () -> answer(id, content(found.toString(), false).set("structuredContent", found)));
        } catch (InterruptedException e) {
            settle(call, () -> answer(id, content(name + " was stopped before it had an answer", true)));
        } catch (CliFailure e) {
            String why = Secrets.redactAddresses(String.valueOf(e.getMessage()));
            settle(call, () -> answer(id, content(e.wayOut().isEmpty() ? why : why + ". " + e.wayOut(), true)));
        } catch (RuntimeException | Error e) { // the client waits for an answer
            LOG.log(Level.WARNING, "the tool " + name + " failed", e);
            settle(
                    call,
                    () -> fail(
                            id,
                            RpcException.INTERNAL_ERROR,
                            "unexpected " + e.getClass().getName() + " in " + name + "; standard error says more"));
        }
    }

    private static void settle(Call call, Runnable told) {
        if (call.settled.compareAndSet(false, true)) {
            told.run();
        }
    }

    private static ObjectNode content(String text, boolean isError) {
        ObjectNode result = JSON.createObjectNode();
        result.putArray("content").addObject().put("type", "text").put("text", text);
        return result.put("isError", isError);
    }

    private void answer(JsonNode id, ObjectNode result) {
        ObjectNode message = JSON.createObjectNode();
        message.put("jsonrpc", "2.0").set("id", id);
        message.set("result", result);
        write(message);
    }

    private void fail(JsonNode id, int code, String why) {
        ObjectNode message = JSON.createObjectNode();
        message.put("jsonrpc", "2.0").set("id", id);
        message.putObject("error").put("code", code).put("message", why);
        write(message);
    }

    private void write(ObjectNode message) {
        writing.lock();
        try {
            out.writeBytes((message + "\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        } finally {
            writing.unlock();
        }
    }
}
