package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.console.internal.control.Controls;
import dev.weir.console.internal.state.History;
import dev.weir.console.internal.state.Looker;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the limits on the memory for requests to a console. */
@Timeout(60)
class ConsoleLimitsTest {

    /** Largest body of a change. */
    private static final int MOST_BODY = 16 * 1024;

    private static final long MEGABYTE = 1 << 20;

    /** Returns changes that fill a request's body. */
    private static String changes(String key, int valueLength, int request) {
        ObjectNode set = Asker.JSON.createObjectNode();
        int room = MOST_BODY - 64;
        for (int i = 0; room > 0; i++) {
            String name = key + "-" + request + "-" + i;
            set.put(name, "v".repeat(valueLength));
            room -= name.length() + valueLength + 6;
            if (room < name.length() + valueLength + 6 || i == 250) {
                break;
            }
        }
        return set.toString();
    }

    private static long timelineBytes(ConsoleServer console) {
        return console.timeline().stream()
                .mapToLong(each -> each.key().length()
                        + each.value().length()
                        + each.refused().length())
                .sum();
    }

    @Test
    void timeline_ofManyLargeRefusedChanges_isBoundedInBytes() throws Exception {
        try (ConsoleServer console = ConsoleServer.builder().start(new StubPipeline("orders"));
                Asker asker = new Asker(console)) {
            for (int request = 0; request < 200; request++) {
                JsonNode report = asker.set(changes("no.such.control", request % 2 == 0 ? 40 : 900, request));
                assertThat(report.path("accepted").asBoolean(true)).isFalse();
            }
            assertThat(2 * timelineBytes(console)).isLessThan(4 * MEGABYTE);
            JsonNode entries = asker.json("/api/timeline").path("entries");
            assertThat(entries.get(entries.size() - 1).path("key").asText())
                    .as("the newest stays")
                    .startsWith("no.such.control-199-");
            assertThat(asker.get("/api/timeline").body().length()).isLessThan(4 * (int) MEGABYTE);
        }
    }

    @Test
    void timeline_ofTheRunsOfABenchmark_isBoundedInBytes() throws Exception {
        List<ControlReport.Refusal> none = List.of();
        try (RunConsole console =
                        ConsoleServer.builder().startForRuns("weir bench", wanted -> ControlReport.of(wanted, none));
                Asker asker = new Asker(console.uri())) {
            for (int request = 0; request < 300; request++) {
                assertThat(asker.set(changes("client.property", 900, request))
                                .path("accepted")
                                .asBoolean())
                        .isTrue();
            }
            assertThat(asker.get("/api/timeline").body().length()).isLessThan(3 * (int) MEGABYTE);
        }
    }

    /** The answer repeats keys and values, each with a reason for the refusal. */
    @Test
    void answer_toManyRefusedChanges_isBounded() throws Exception {
        StubPipeline pipeline = new StubPipeline("orders");
        StubConsumer consumer = new StubConsumer("[orders]");
        String topic = "t".repeat(240);
        for (int i = 0; i < 40; i++) {
            consumer.partitions.add(StubConsumer.partition(topic, i, Duration.ZERO));
        }
        pipeline.handles.add(consumer);
        try (ConsoleServer console = ConsoleServer.builder().start(pipeline);
                Asker asker = new Asker(console)) {
            ObjectNode set = Asker.JSON.createObjectNode();
            for (int i = 0; i < 256; i++) {
                set.put("partition." + i + ".paused", true);
            }
            HttpResponse<String> answer = asker.post("/api/control", "{\"set\":" + set + "}");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body().length()).isLessThan(200_000);
            assertThat(Asker.JSON.readTree(answer.body()).path("refused")).hasSize(256);
        }
    }

    @Test
    void loggers_setByUnknownNames_areLimitedInNumber() throws Exception {
        Logger own = Logger.getLogger("own.package.of.the.application");
        try (ConsoleServer console = ConsoleServer.builder().start(new StubPipeline("orders"));
                Asker asker = new Asker(console)) {
            int refused = 0;
            for (int request = 0; request < 20; request++) {
                ObjectNode set = Asker.JSON.createObjectNode();
                for (int i = 0; i < 100; i++) {
                    set.put("log.unknown.of.request." + request + "." + i, "debug");
                }
                JsonNode report = asker.set(set.toString());
                refused += report.path("refused").size();
                if (request == 19) {
                    assertThat(report.path("refused").get(0).path("reason").asText())
                            .contains("name a package above it");
                }
            }
            assertThat(refused).isGreaterThan(1_500);
            assertThat(loggersNamed("unknown.of.request.")).hasSizeLessThan(200);
            for (String known : List.of(own.getName(), "own.package", "own")) {
                assertThat(asker.set("{\"log." + known + "\":\"info\"}")
                                .path("accepted")
                                .asBoolean())
                        .as(known)
                        .isTrue();
            }
            assertThat(own.getLevel()).isEqualTo(Level.INFO);
            assertThat(asker.set("{\"log." + "a.".repeat(200) + "b\":\"info\"}")
                            .path("refused")
                            .get(0)
                            .path("reason")
                            .asText())
                    .contains("at most");
        }
    }

    private static Set<String> loggersNamed(String start) {
        Set<String> found = new HashSet<>();
        LogManager.getLogManager().getLoggerNames().asIterator().forEachRemaining(name -> {
            if (name.startsWith(start)) {
                found.add(name);
            }
        });
        return found;
    }

    /** A client that does not read keeps its answer in memory until the time limit. */
    @Test
    void timelines_thatNobodyReads_holdNoCopyEach() throws Exception {
        List<Socket> readers = new ArrayList<>();
        try (ConsoleServer console = ConsoleServer.builder().start(new StubPipeline("orders"));
                Asker asker = new Asker(console)) {
            for (int request = 0; request < 80; request++) {
                asker.set(changes("no.such.control", 900, request));
            }
            long before = used();
            for (int i = 0; i < 40; i++) {
                Socket reader = asker.connect();
                readers.add(reader);
                ask(reader);
            }
            assertThat(used() - before).isLessThan(20 * MEGABYTE);
        } finally {
            for (Socket reader : readers) {
                reader.close();
            }
        }
    }

    /** Regression: each viewer's request queried all partitions of the consumer. */
    @Test
    void state_isBuiltOncePerInterval_howeverManyAsk() throws Exception {
        AtomicLong clock = new AtomicLong();
        StubPipeline pipeline = new StubPipeline("orders");
        StubConsumer consumer = new StubConsumer("[orders]");
        consumer.partitions.add(StubConsumer.partition(0, Duration.ZERO));
        pipeline.handles.add(consumer);
        try (Looker looker = new Looker(new Controls(Map.of()), clock::get)) {
            looker.show(pipeline, () -> null);
            byte[] first = looker.now();
            int dumps = consumer.dumps.get();
            clock.addAndGet(Looker.SHARED_NANOS - 1);
            for (int viewer = 0; viewer < 20; viewer++) {
                assertThat(looker.now()).isSameAs(first);
            }
            assertThat(consumer.dumps).hasValue(dumps);
            clock.incrementAndGet();
            assertThat(looker.now()).isNotSameAs(first);
            assertThat(consumer.dumps).hasValueGreaterThan(dumps);
            byte[] before = looker.now();
            assertThat(looker.set(Map.of("no.such.control", "1"), "command").refused())
                    .hasSize(1);
            assertThat(looker.now()).as("after a change").isNotSameAs(before);
            before = looker.now();
            pipeline.close();
            assertThat(looker.now()).as("after the end").isNotSameAs(before);
            assertThat(looker.trend()).isSameAs(looker.trend());
        }
    }

    /** Regression: while the probe of an earlier pipeline ended, the controls could return to an earlier pipeline. */
    @Test
    void controls_ofPipelinesThatTwoThreadsShow_areThoseOfTheLast() throws Exception {
        StubPipeline first = new StubPipeline("first");
        AtomicBoolean armed = new AtomicBoolean();
        CountDownLatch reading = new CountDownLatch(1);
        Semaphore mayRead = new Semaphore(0);
        first.counters = () -> {
            if (armed.get()) {
                reading.countDown();
                mayRead.acquireUninterruptibly();
                mayRead.release();
            }
            return List.of();
        };
        try (Looker looker = new Looker(new Controls(Map.of()))) {
            looker.show(first);
            armed.set(true);
            assertThat(reading.await(20, TimeUnit.SECONDS)).isTrue();
            Thread other = Thread.ofVirtual().start(() -> looker.show(new StubPipeline("p-two"), () -> null));
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> new String(looker.now(), StandardCharsets.UTF_8).contains("p-two"));
            looker.show(new StubPipeline("p-three"), () -> null);
            mayRead.release();
            assertThat(other.join(Duration.ofSeconds(20))).isTrue();
            assertThat(looker.set(Map.of("source.rate", "1"), "command").refused())
                    .singleElement()
                    .satisfies(refusal -> assertThat(refusal.reason()).contains("pipeline p-three"));
        } finally {
            mayRead.release();
        }
    }

    /** Regression: the readings after a long one came at once, so that rates and shares covered an instant. */
    @Test
    void readings_afterALongOne_areASecondApart() throws Exception {
        StubPipeline pipeline = new StubPipeline("orders");
        AtomicInteger calls = new AtomicInteger();
        pipeline.counters = () -> {
            if (calls.getAndIncrement() == 0) {
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2));
            }
            return List.of();
        };
        try (Looker looker = new Looker(new Controls(Map.of()))) {
            looker.show(pipeline, () -> null);
            looker.start();
            List<Instant> times = new ArrayList<>();
            while (times.size() < 3) {
                for (History.Entry entry : Objects.requireNonNull(
                                looker.history().after(times.size(), Duration.ofSeconds(20)))
                        .entries()) {
                    times.add(Instant.parse(
                            Asker.JSON.readTree(entry.text()).path("at").asText()));
                }
            }
            for (int i = 1; i < 3; i++) {
                assertThat(Duration.between(times.get(i - 1), times.get(i))).isGreaterThan(Duration.ofMillis(900));
            }
        }
    }

    @Test
    void reading_thatFails_isFollowedByOthers() throws Exception {
        StubPipeline pipeline = new StubPipeline("orders");
        AtomicInteger readings = new AtomicInteger();
        pipeline.counters = () -> {
            if (readings.incrementAndGet() == 1) {
                throw new StackOverflowError("planted by the test");
            }
            return List.of();
        };
        try (Looker looker = new Looker(new Controls(Map.of()))) {
            looker.show(pipeline, () -> null);
            looker.start();
            assertThat(looker.history().after(0, Duration.ofSeconds(20))).isNotNull();
        }
    }

    private static void ask(Socket reader) throws IOException {
        reader.setReceiveBufferSize(4096);
        reader.getOutputStream()
                .write("GET /api/timeline HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
        // The answer is being written, because its first byte has arrived.
        assertThat(reader.getInputStream().read()).isEqualTo('H');
    }

    private static long used() {
        Runtime.getRuntime().gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
