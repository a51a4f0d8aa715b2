package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.console.internal.control.Controls;
import dev.weir.console.internal.state.History;
import dev.weir.console.internal.state.Looker;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.metrics.Limiter;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.control.BufferControl;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConsoleServerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final StubPipeline pipeline = new StubPipeline("orders");
    private final StubConsumer consumer = new StubConsumer("[orders]");
    private ConsoleServer console;
    private Asker asker;

    @BeforeEach
    void start() throws IOException {
        consumer.partitions.add(StubConsumer.partition(0, Duration.ofSeconds(3), Paused.WINDOW));
        consumer.partitions.add(StubConsumer.partition(1, Duration.ZERO));
        pipeline.stages.add(StubPipeline.stage("price", 100, 90));
        pipeline.handles.add(consumer);
        console = ConsoleServer.builder().start(pipeline);
        asker = new Asker(console);
    }

    @AfterEach
    void close() {
        asker.close();
        console.close();
    }

    @Test
    void state_asked_hasTheFieldsOfTheStateFileAndMore() throws Exception {
        JsonNode state = asker.json("/api/state");
        assertThat(state.path("state").asText()).isEqualTo("running");
        assertThat(state.path("pipeline").asText()).isEqualTo("orders");
        assertThat(state.path("live").asBoolean()).isTrue();
        assertThat(state.path("partitions")).hasSize(2);
        assertThat(state.path("partitions").get(0).path("paused").get(0).asText())
                .isEqualTo("WINDOW");
        assertThat(state.has("limiter")).isTrue();
        JsonNode stage = state.path("stages").get(0);
        assertThat(stage.path("name").asText()).isEqualTo("price");
        assertThat(stage.path("parallelism").asInt()).isEqualTo(4);
        assertThat(stage.has("busy_share")).isTrue();
        assertThat(stage.path("in").asInt()).isEqualTo(100);
    }

    @Test
    void state_withALimiter_namesIt() throws Exception {
        console.show(
                pipeline,
                () -> Limiter.of(
                                Limiter.Kind.STAGE_WAIT,
                                "price",
                                "limited by stage price",
                                "raise its parallelism",
                                2.5)
                        .measured(2));
        // The console queries the limiter once a second.
        JsonNode limiter = await().atMost(Duration.ofSeconds(40))
                .until(() -> asker.json("/api/state").path("limiter"), JsonNode::isObject);
        assertThat(limiter.path("kind").asText()).isEqualTo("stage-wait");
        assertThat(limiter.path("name").asText()).isEqualTo("price");
        assertThat(limiter.path("sentence").asText()).isEqualTo("limited by stage price");
        assertThat(limiter.path("advice").asText()).isEqualTo("raise its parallelism");
        assertThat(limiter.path("expected_gain").asDouble()).isEqualTo(2.5);
        assertThat(limiter.path("measured_gain").asDouble()).isEqualTo(2);
    }

    @Test
    void state_beforeThePipeline_isStarting() throws Exception {
        try (ConsoleServer early = ConsoleServer.builder().start();
                Asker asking = new Asker(early)) {
            assertThat(asking.json("/api/state").path("state").asText()).isEqualTo("starting");
            assertThat(asking.set("{\"source.paused\":true}")
                            .path("refused")
                            .get(0)
                            .path("reason")
                            .asText())
                    .contains("not started");
            early.announce("Starting the brokers");
            assertThat(asking.json("/api/state").path("step").asText()).isEqualTo("Starting the brokers");
            early.show(pipeline);
            assertThat(asking.json("/api/state").path("state").asText()).isEqualTo("running");
            assertThat(asking.json("/api/state").has("step")).isFalse();
        }
    }

    @Test
    void page_asked_isWholeAndAsksNobodyElse() throws Exception {
        HttpResponse<String> page = asker.get("/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("content-security-policy").orElseThrow())
                .contains("default-src 'none'")
                .doesNotContain("unsafe");
        for (String file :
                List.of("/console.css", "/console.js", "/feed.js", "/graph.js", "/parts.js", "/controls.js")) {
            HttpResponse<String> part = asker.get(file);
            assertThat(part.statusCode()).as(file).isEqualTo(200);
            assertThat(part.body().replace("http://www.w3.org/2000/svg", ""))
                    .as(file)
                    .doesNotContain("://");
        }
        assertThat(page.body()).doesNotContain("://").doesNotContain("style=");
    }

    @Test
    void events_followed_comeOnceASecondWithTheirNumbers() throws Exception {
        List<JsonNode> looks = new ArrayList<>();
        List<Long> ids = new ArrayList<>();
        List<JsonNode> states = new ArrayList<>();
        follow("", 3, ids, looks, states);
        assertThat(ids).isSorted().doesNotHaveDuplicates();
        assertThat(looks).allSatisfy(look -> {
            assertThat(look.path("stages").get(0).path("name").asText()).isEqualTo("price");
            assertThat(look.path("lag").asInt()).isEqualTo(20);
            assertThat(look.has("partitions")).isFalse();
        });
        assertThat(states)
                .isNotEmpty()
                .allSatisfy(state -> assertThat(state.path("partitions")).hasSize(2));
    }

    /** Waits for the first reading that matches. */
    private static JsonNode first(Looker looker, Predicate<JsonNode> matches) throws Exception {
        long seen = 0;
        while (true) {
            History.Entry last = Objects.requireNonNull(looker.history().after(seen, Duration.ofSeconds(20)))
                    .entries()
                    .getLast();
            seen = last.number();
            JsonNode look = Asker.JSON.readTree(last.text());
            if (matches.test(look)) {
                return look;
            }
        }
    }

    /** A partition whose lag becomes known is no growth of the lag, and a partition that leaves is no fall. */
    @Test
    void lag_thatIsUnknown_isNoFigure_andOnlyRecordsChangeIt() throws Exception {
        PartitionDump partition = consumer.partitions.getFirst();
        consumer.partitions.clear();
        consumer.partitions.add(partition.toBuilder().lag(-1).build());
        try (Looker looker = new Looker(new Controls(Map.of()))) {
            looker.show(pipeline, () -> null);
            looker.start();
            assertThat(first(looker, look -> true).path("lag").isNull()).isTrue();
            assertThat(Asker.JSON.readTree(looker.trend()).at("/points/0/2").isNull())
                    .isTrue();

            consumer.partitions.set(0, partition.toBuilder().lag(1_000).build());
            JsonNode known = first(looker, look -> look.path("lag").asInt() == 1_000);
            assertThat(known.path("figures").has("lag_fall_per_second")).isFalse();
            assertThat(first(looker, look -> look.path("figures").has("lag_fall_per_second"))
                            .at("/figures/lag_fall_per_second")
                            .asDouble())
                    .isZero();

            consumer.partitions.add(StubConsumer.partition(1, Duration.ZERO));
            JsonNode more = first(looker, look -> look.path("lag").asInt() == 1_010);
            assertThat(more.path("figures").has("lag_fall_per_second")).isFalse();
        }
    }

    @Test
    void events_followedAgain_haveTheHistory() throws Exception {
        List<Long> first = new ArrayList<>();
        follow("", 3, first, new ArrayList<>(), new ArrayList<>());

        List<Long> reloaded = new ArrayList<>();
        follow("", 4, reloaded, new ArrayList<>(), new ArrayList<>());
        assertThat(reloaded).startsWith(1L, 2L, 3L).containsAll(first);

        List<Long> resumed = new ArrayList<>();
        follow("Last-Event-ID: 2\r\n", 2, resumed, new ArrayList<>(), new ArrayList<>());
        assertThat(resumed).startsWith(3L, 4L);

        // The number is from an earlier process at this address with more readings.
        List<Long> restarted = new ArrayList<>();
        follow("Last-Event-ID: 999999\r\n", 3, restarted, new ArrayList<>(), new ArrayList<>());
        assertThat(restarted).startsWith(1L, 2L, 3L);
    }

    private void follow(String headers, int looks, List<Long> ids, List<JsonNode> found, List<JsonNode> states)
            throws IOException {
        try (Socket socket = asker.connect()) {
            socket.getOutputStream()
                    .write(("GET /api/events HTTP/1.0\r\nHost: localhost\r\n" + headers + "\r\n")
                            .getBytes(StandardCharsets.ISO_8859_1));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            assertThat(in.readLine()).contains("200");
            boolean full = false;
            while (found.size() < looks || states.isEmpty()) {
                String line = Objects.requireNonNull(in.readLine(), "the events have ended");
                if (line.startsWith("id: ")) {
                    ids.add(Long.parseLong(line.substring(4)));
                } else if (line.startsWith("event: state")) {
                    full = true;
                } else if (line.startsWith("data: ")) {
                    (full ? states : found).add(Asker.JSON.readTree(line.substring(6)));
                    full = false;
                }
            }
        }
    }

    @Test
    void source_pausedAndResumed_reachesTheConsumer() throws Exception {
        JsonNode report = asker.set("{\"source.paused\":true}");
        assertThat(report.path("accepted").asBoolean()).isTrue();
        assertThat(report.path("applied").path("source.paused").asBoolean()).isTrue();
        assertThat(report.path("refused")).isEmpty();
        assertThat(consumer.paused).containsExactly("all");
        assertThat(asker.json("/api/state")
                        .path("controls")
                        .get(0)
                        .path("value")
                        .asBoolean())
                .isTrue();
        asker.set("{\"source.paused\":\"false\"}");
        assertThat(consumer.paused).isEmpty();
    }

    /** A buffer of three gigabytes. */
    private static final class LargeBuffer implements BufferControl {

        private volatile long bytes = 3_000_000_000L;

        @Override
        public int maxOutstandingRecords() {
            return 1_000;
        }

        @Override
        public int mostOutstandingRecords() {
            return 8_000;
        }

        @Override
        public void maxOutstandingRecords(int records) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long bufferBytes() {
            return bytes;
        }

        @Override
        public long mostBufferBytes() {
            return 8_000_000_000L;
        }

        @Override
        public void bufferBytes(long newBytes) {
            bytes = newBytes;
        }
    }

    /** The page shows the buttons of a circuit breaker for a text. */
    @Test
    void setting_ofMoreThanAThousandMillion_isANumber() throws Exception {
        pipeline.handles.add(new LargeBuffer());
        JsonNode report = asker.set("{\"source.bufferBytes\":4000000000}");
        assertThat(report.at("/applied/source.bufferBytes").isNumber()).isTrue();
        JsonNode knob = StreamSupport.stream(
                        asker.json("/api/state").path("controls").spliterator(), false)
                .filter(each -> each.path("key").asText().equals("source.bufferBytes"))
                .findFirst()
                .orElseThrow();
        assertThat(knob.path("value").isNumber()).isTrue();
        assertThat(knob.path("value").asLong()).isEqualTo(4_000_000_000L);
    }

    @Test
    void partition_paused_isThatOneAlone() throws Exception {
        assertThat(asker.set("{\"partition.orders-1.paused\":true}")
                        .path("accepted")
                        .asBoolean())
                .isTrue();
        assertThat(consumer.paused).containsExactly("orders-1");
        JsonNode refused = asker.set("{\"partition.orders-7.paused\":true}")
                .path("refused")
                .get(0);
        assertThat(refused.path("reason").asText()).contains("orders-7").contains("orders-0, orders-1");
    }

    /** A consumer keeps all partitions paused, whichever of them is resumed. */
    @Test
    void partition_resumedWhileTheSourceIsPaused_isRefused() throws Exception {
        asker.set("{\"source.paused\":true}");
        consumer.partitions.set(1, StubConsumer.partition(1, Duration.ZERO, Paused.USER));
        JsonNode report = asker.set("{\"partition.orders-1.paused\":false}");
        assertThat(report.at("/refused/0/reason").asText()).contains("source.paused=false");
        assertThat(asker.set("{\"source.paused\":false,\"partition.orders-1.paused\":false}")
                        .path("accepted")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void settings_thatCannotBe_areRefusedWithTheReasonAndTheOthersMade() throws Exception {
        JsonNode report = asker.set("{\"source.rate\":100,\"source.paused\":true,\"stage.none.parallelism\":3,"
                + "\"dispatcher.none.size\":2,\"breaker.none\":\"open\",\"what.ever\":1,\"stage..parallelism\":1}");
        assertThat(report.path("accepted").asBoolean()).isFalse();
        assertThat(report.path("applied").properties()).hasSize(1);
        assertThat(report.path("refused"))
                .hasSize(6)
                .allSatisfy(each -> assertThat(each.path("reason").asText()).isNotEmpty());
    }

    @Test
    void timeline_hasAllThatWasAsked() throws Exception {
        asker.set("{\"source.paused\":true}");
        asker.set("{\"source.rate\":100}");
        console.set(Map.of("source.paused", "false"));
        JsonNode entries = asker.json("/api/timeline").path("entries");
        assertThat(entries).hasSize(3);
        assertThat(entries.get(0).path("key").asText()).isEqualTo("source.paused");
        assertThat(entries.get(0).path("by").asText()).isEqualTo("command");
        assertThat(entries.get(1).path("applied").asBoolean()).isFalse();
        assertThat(entries.get(1).path("reason").asText()).isNotEmpty();
        assertThat(entries.get(2).path("by").asText()).isEqualTo("code");
        assertThat(console.timeline()).hasSize(3);
    }

    @Test
    void requests_thatMakeNoSense_areRefusedInWords() throws Exception {
        for (String body :
                List.of("", "{", "[]", "{\"set\":1}", "{\"set\":{}}", "{\"set\":{\"a\":[1]}}", "{\"x\":{}}")) {
            HttpResponse<String> answer = asker.post("/api/control", body);
            assertThat(answer.statusCode()).as(body).isEqualTo(400);
            assertThat(Asker.JSON.readTree(answer.body()).path("error").asText())
                    .as(body)
                    .isNotEmpty();
        }
        assertThat(asker.post("/api/control", "x".repeat(20_000)).statusCode()).isEqualTo(413);
        assertThat(asker.post("/api/state", "{}").statusCode()).isEqualTo(405);
        assertThat(asker.get("/api/control").statusCode()).isEqualTo(405);
        assertThat(asker.get("/api/nothing").statusCode()).isEqualTo(404);
        assertThat(asker.get("/console.js/../../x").statusCode()).isEqualTo(404);
        for (String query : List.of("seconds=0", "seconds=61", "seconds=1x", "seconds=", "second=1")) {
            assertThat(asker.get("/api/profile?" + query).statusCode())
                    .as(query)
                    .isEqualTo(400);
        }
        assertThat(asker.post("/api/profile?seconds=1", "{}").statusCode()).isEqualTo(405);
    }

    @Test
    void address_ofTheConsole_standsInTheProcess() {
        assertThat(System.getProperty(ConsoleServer.ADDRESS_PROPERTY))
                .isEqualTo(console.uri().toString());
        console.close();
        assertThat(System.getProperty(ConsoleServer.ADDRESS_PROPERTY)).isNull();
    }

    /** After the newer of two consoles has closed, {@code weir console PID} must find the older one. */
    @Test
    void address_afterTheNewestConsoleHasClosed_isThatOfTheOneBefore() throws Exception {
        ConsoleServer second = ConsoleServer.builder().start();
        try (ConsoleServer third = ConsoleServer.builder().start()) {
            second.close();
            assertThat(System.getProperty(ConsoleServer.ADDRESS_PROPERTY))
                    .isEqualTo(third.uri().toString());
        }
        assertThat(System.getProperty(ConsoleServer.ADDRESS_PROPERTY))
                .isEqualTo(console.uri().toString());
    }

    @Test
    void start_onAPipelineThatCannotBeShown_leavesNoConsole() {
        RunningPipeline broken = (RunningPipeline) Proxy.newProxyInstance(
                RunningPipeline.class.getClassLoader(),
                new Class<?>[] {RunningPipeline.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("completion")) {
                        throw new IllegalStateException("planted");
                    }
                    return method.invoke(pipeline, arguments);
                });
        assertThatThrownBy(() -> ConsoleServer.builder().start(broken)).hasMessage("planted");
        assertThat(System.getProperty(ConsoleServer.ADDRESS_PROPERTY))
                .isEqualTo(console.uri().toString());
    }

    @Test
    void close_leavesNoThreadAndNoPort() throws Exception {
        try (Socket follower = asker.connect()) {
            follower.getOutputStream()
                    .write("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
            assertThat(follower.getInputStream().read()).isPositive();
            console.close();
            await().atMost(PATIENCE)
                    .until(() -> Thread.getAllStackTraces().keySet().stream()
                            .map(Thread::getName)
                            .noneMatch(name -> name.startsWith("weir-console") || name.startsWith("HTTP-Dispatcher")));
        }
        assertThatThrownBy(asker::connect).isInstanceOf(IOException.class);
    }
}
