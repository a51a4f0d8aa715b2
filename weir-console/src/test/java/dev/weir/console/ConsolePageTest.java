package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.checks.browser.Browser;
import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.metrics.Limiter;
import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.control.StageControl;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Opens a running pipeline's page in a real browser. {@code -Dweir.write=true} replaces the guide's picture. */
@Timeout(180)
class ConsolePageTest {

    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final String MODULE = "weir-console/target";

    private final StubConsumer consumer = new StubConsumer("[orders]");
    private final AtomicBoolean over = new AtomicBoolean();

    /** Never has a permit: each wait times out. */
    private final Semaphore never = new Semaphore(0);

    @TempDir
    Path folder;

    private Long lookUp(Long number) throws InterruptedException {
        boolean ignored = never.tryAcquire(5, TimeUnit.MILLISECONDS);
        return number;
    }

    private Long encode(Long number) throws InterruptedException {
        boolean ignored = never.tryAcquire(1, TimeUnit.MILLISECONDS);
        return number;
    }

    private RunningPipeline run(Dispatcher pool) {
        return Source.range(0, Long.MAX_VALUE)
                .takeWhile(number -> !over.get())
                .map(number -> number)
                .named("parse JSON")
                .mapBlocking(8, Ordering.input(), this::lookUp)
                .named("price")
                .mapParallel(2, this::encode)
                .with(Attributes.NONE.withDispatcher(pool))
                .named("encode")
                .map(number -> number)
                .named("route")
                .to(Sink.ignore())
                .run();
    }

    /** Adds a consumer to the pipeline, as if it had a Kafka source. */
    private RunningPipeline withConsumer(RunningPipeline running) {
        return (RunningPipeline) Proxy.newProxyInstance(
                RunningPipeline.class.getClassLoader(),
                new Class<?>[] {RunningPipeline.class},
                (proxy, method, arguments) -> method.getName().equals("handles") && arguments[0] == ConsumerHandle.class
                        ? List.of(consumer)
                        : method.invoke(running, arguments));
    }

    private static Limiter limiter(RunningPipeline running) {
        int parallelism = running.handles(StageControl.class).getFirst().parallelism();
        return parallelism < 64
                ? Limiter.of(
                        Limiter.Kind.STAGE_WAIT,
                        "price",
                        "its " + parallelism + " lanes wait 97 % of their time",
                        "raise the parallelism of price from " + parallelism + " to 64",
                        64.0 / parallelism)
                : Limiter.of(Limiter.Kind.ARRIVAL, "arrival", "no stage is busy", "nothing", 1);
    }

    @Test
    void page_ofARunningPipeline_showsAndSteersIt() throws Exception {
        for (int i = 0; i < 12; i++) {
            consumer.partitions.add(
                    i % 4 == 1
                            ? StubConsumer.partition(i, Duration.ofSeconds(i), Paused.WINDOW)
                            : StubConsumer.partition(i, Duration.ofMillis(20)));
        }
        try (Browser browser = new Browser(folder);
                Dispatcher pool = Dispatcher.fixed("pricing", 2);
                RunningPipeline running = run(pool)) {
            RunningPipeline shown = withConsumer(running);
            int port;
            try (ConsoleServer console = ConsoleServer.builder().start()) {
                console.show(shown, () -> limiter(running));
                port = console.uri().getPort();
                browser.open(console.uri());
                awaitText(browser, "limiter", "Limited by stage price, which waits");
                assertThat(browser.textOf("evidence")).startsWith("Seen by: its 8 lanes wait 97 %");
                assertThat(browser.textOf("advice"))
                        .startsWith("Next: raise")
                        .contains("from 8 to 64")
                        .contains("8.0 times");
                assertThat(count(browser, "#graph g[role=listitem]"))
                        .isEqualTo(running.stages().size());
                assertThat(count(browser, "#graph .limits")).isEqualTo(1);
                assertThat(count(browser, "#partitions tr")).isEqualTo(12);
                await().atMost(PATIENCE).until(() -> count(browser, "#threads canvas") >= 2);
                // The picture needs several columns in the charts.
                await().atMost(PATIENCE).until(() -> looks(browser) >= 12);
                assertThat(limitingBox(browser)).containsPattern("waits (9[0-9]|100) %");
                assertThat(browser.textOf("graph")).contains("busy ");
                assertScales(browser);
                browser.screenshot(
                        Boolean.getBoolean("weir.write")
                                ? Path.of(System.getProperty("weir.root", "."), "docs/guide/console.png")
                                : target("console.png"));

                steer(browser, running);
                int before = looks(browser);
                browser.open(console.uri());
                await().atMost(PATIENCE).until(() -> looks(browser) >= before);
                // The page requests the timeline separately.
                awaitText(browser, "timeline", "stage.price.parallelism = 64, by page");
                browser.dark();
                browser.screenshot(target("console-dark.png"));
                assertThat(browser.troubles).isEmpty();
            }
            await().atMost(PATIENCE)
                    .until(() -> browser.textOf("trouble").contains("not answered")
                            && browser.evaluate("document.getElementById('trouble').hidden")
                                    .equals("false"));
            try (ConsoleServer again = ConsoleServer.builder().port(port).start(shown)) {
                await().atMost(PATIENCE)
                        .until(() -> browser.evaluate("document.getElementById('trouble').hidden")
                                .equals("true"));
                awaitText(browser, "run-state", "running");
                assertThat(again.timeline()).isEmpty();
            }
            over.set(true);
            assertThat(running.await().drained()).isTrue();
        }
    }

    /** Returns the text of the box with the red frame. */
    private static String limitingBox(Browser browser) throws Exception {
        return browser.evaluate("document.querySelector('#graph .limits').parentNode.textContent");
    }

    /** Checks the label of each chart's top: a value with a unit. */
    private static void assertScales(Browser browser) throws Exception {
        assertThat(browser.textOf("rate-most")).matches("[0-9.,]+( [kM])?/s").isNotEqualTo("1/s");
        assertThat(browser.textOf("lag-most")).isEqualTo("120 records");
        assertThat(browser.textOf("threads")).contains("2 threads0");
        assertThat(browser.evaluate("getComputedStyle(document.querySelector('.key.lag')).backgroundColor"))
                .isNotEqualTo(
                        browser.evaluate("getComputedStyle(document.querySelector('.key.blocked')).backgroundColor"));
    }

    private void steer(Browser browser, RunningPipeline running) throws Exception {
        String input = "document.getElementById('knob-stage.price.parallelism')";
        assertThat(browser.evaluate(input + ".value = '', String(" + input + ".form.checkValidity())"))
                .isEqualTo("false");
        String set = browser.evaluate(input + ".value = '64', " + input + ".form.requestSubmit(), 'set'");
        assertThat(set).isEqualTo("set");
        await().atMost(PATIENCE)
                .until(() -> running.handles(StageControl.class).getFirst().parallelism() == 64);
        awaitText(browser, "limiter", "Nothing limits");
        awaitText(browser, "answer", "stage.price.parallelism is 64 now");

        String pressed = browser.evaluate("[...document.querySelectorAll('#knobs button')]"
                + ".find(button => button.textContent === 'Pause the source').click(), 'pressed'");
        assertThat(pressed).isEqualTo("pressed");
        await().atMost(PATIENCE).until(() -> consumer.paused.contains("all"));
        awaitText(browser, "knobs", "Resume the source");

        String refused = browser.evaluate(input + ".form.noValidate = true, " + input + ".value = '9999', " + input
                + ".form.requestSubmit(), 'set'");
        assertThat(refused).isEqualTo("set");
        awaitText(browser, "answer", "refused: parallelism of stage price must be 1 to 512");
    }

    /** Gives new figures to 20 stages and 200 partitions in each frame. */
    private void play(StubPipeline pipeline, int frame) {
        for (int i = 0; i < 20; i++) {
            pipeline.stages.set(i, StubPipeline.stage("stage " + i, 1000L * frame * (i + 1), 900L * frame * (i + 1)));
        }
        for (int i = 0; i < 200; i++) {
            consumer.partitions.set(i, StubConsumer.partition(i, Duration.ofSeconds(i + 1L + frame), Paused.WINDOW));
        }
    }

    @Test
    void page_fedFromARecording_showsAllWithABoundedNumberOfChanges() throws Exception {
        StubPipeline pipeline = new StubPipeline("large");
        for (int i = 0; i < 20; i++) {
            pipeline.stages.add(StubPipeline.stage("stage " + i, 0, 0));
        }
        for (int i = 0; i < 200; i++) {
            consumer.partitions.add(StubConsumer.partition(i, Duration.ofSeconds(i + 1), Paused.WINDOW));
        }
        pipeline.handles.add(consumer);
        try (Browser browser = new Browser(folder);
                ConsoleServer console = ConsoleServer.builder().start(pipeline)) {
            browser.open(console.uri());
            await().atMost(PATIENCE).until(() -> count(browser, "#partitions tr") == 200 && looks(browser) >= 2);
            assertThat(count(browser, "#graph g[role=listitem]")).isEqualTo(20);
            String watching = browser.evaluate("window.changes = 0, window.lost = 0, new MutationObserver(all => {"
                    + " window.changes += all.length;"
                    + " for (const each of all) for (const node of each.removedNodes)"
                    + " if (node.nodeType === 1) window.lost++})"
                    + ".observe(document.body,"
                    + " {subtree: true, childList: true, attributes: true, characterData: true}), 'on'");
            assertThat(watching).isEqualTo("on");
            int from = looks(browser);
            for (int frame = 1; frame <= 4; frame++) {
                play(pipeline, frame);
                int seen = looks(browser);
                await().atMost(PATIENCE).until(() -> looks(browser) >= seen + 2);
            }
            awaitText(browser, "partitions", "offset 5, 204 s");
            int looked = looks(browser) - from;
            double changes = Double.parseDouble(browser.evaluate("window.changes")) / looked;
            // One reading per second may change one text per figure of a partition, and some widths and texts per
            // stage.
            assertThat(changes).isBetween(50.0, 200 * 3 + 20 * 14 + 40.0);
            assertThat(browser.evaluate("window.lost"))
                    .as("elements that were built anew")
                    .isEqualTo("0");
            assertThat(browser.troubles).isEmpty();
        }
    }

    /** Returns two stages on one thread whose counters change every 2 s. The first is busy for 0.6 s. */
    private static List<StageSnapshot> inBatches(long startNanos, int batch) {
        long elapsed = System.nanoTime() - startNanos;
        long batches = elapsed / TimeUnit.SECONDS.toNanos(2);
        long out = batch * batches;
        return List.of(
                StageSnapshot.of(
                        "look up", 1, out, out, TimeUnit.MILLISECONDS.toNanos(600 * batches), 0, 0, 0, elapsed),
                StageSnapshot.of("route", 1, out, out, 0, 0, 0, 0, elapsed));
    }

    /** Records the page's text every fifth of a second, until {@code more} readings have arrived. */
    private static List<String> watch(Browser browser, String expression, int more) throws Exception {
        String watching = browser.evaluate("window.noted = [], clearInterval(window.noting), window.noting ="
                + " setInterval(() => window.noted.push(" + expression + "), 200), 'on'");
        assertThat(watching).isEqualTo("on");
        int from = looks(browser);
        await().atMost(PATIENCE).until(() -> looks(browser) >= from + more);
        return browser.evaluate("window.noted.join('\\n')").lines().toList();
    }

    @Test
    void page_ofAStageThatWaitsInBatches_saysSoInEachSecond_andPromisesNoGainThatIsNone() throws Exception {
        StubPipeline pipeline = new StubPipeline("lookups");
        long start = System.nanoTime();
        pipeline.counters = () -> inBatches(start, 600);
        AtomicReference<Limiter> limiter = new AtomicReference<>(waiting("look up", 1.04));
        try (ConsoleServer console = ConsoleServer.builder().start();
                Browser browser = new Browser(folder)) {
            console.show(pipeline, limiter::get);
            browser.open(console.uri());
            awaitText(browser, "advice", "Next: give it threads");
            assertThat(browser.textOf("advice")).doesNotContain("times the rate");
            await().atMost(PATIENCE).until(() -> looks(browser) >= 5);
            // This must hold all the time between two batches.
            assertThat(watch(browser, "document.querySelector('#graph .limits').parentNode.textContent", 3))
                    .hasSizeGreaterThan(5)
                    .allSatisfy(
                            box -> assertThat(box).matches("look up[1-9][0-9]*/swaits [1-4][0-9] %[0-9.]+ ms each"));
            limiter.set(waiting("route", 1.2).measured(2.5));
            awaitText(browser, "advice", "(expected: 1.2 times the rate); the change before: 2.5 times the rate");
            await().atMost(PATIENCE).until(() -> limitingBox(browser).contains("busy 0 %"));

            // Another pipeline counts from 0. The figures next to the headline must agree with the boxes.
            StubPipeline next = new StubPipeline("next");
            long nextStart = System.nanoTime();
            next.counters = () -> inBatches(nextStart, 6000);
            console.show(next, limiter::get);
            awaitText(browser, "pipeline", "next");
            assertThat(watch(
                            browser,
                            "document.querySelector('#figures dd').textContent === document.querySelector("
                                    + "'#graph g[role=listitem]').textContent.match(/[0-9,]+\\/s/)[0]",
                            4))
                    .hasSizeGreaterThan(5)
                    .containsOnly("true");
            assertThat(browser.troubles).isEmpty();
        }
    }

    private static Limiter waiting(String stage, double gain) {
        return Limiter.of(Limiter.Kind.STAGE_WAIT, stage, "it waits", "give it threads", gain);
    }

    /** The busiest stage is named although nothing limits. A user's pause leaves records at the brokers. */
    @Test
    void page_ofAPipelineThatNothingLimits_marksNoStage() throws Exception {
        StubPipeline pipeline = new StubPipeline("calm");
        pipeline.stages.add(StubPipeline.stage("price", 100, 90));
        AtomicReference<Limiter> limiter = new AtomicReference<>(waiting("price", 1));
        try (ConsoleServer console = ConsoleServer.builder().start();
                Browser browser = new Browser(folder)) {
            console.show(pipeline, limiter::get);
            browser.open(console.uri());
            awaitText(browser, "limiter", "Limited by stage price");
            assertThat(count(browser, "#graph .limits")).isEqualTo(1);
            limiter.set(Limiter.of(Limiter.Kind.ARRIVAL, "price", "the busiest stage is price", "nothing", 1));
            awaitText(browser, "limiter", "Nothing limits");
            assertThat(count(browser, "#graph .limits")).isZero();
            limiter.set(Limiter.of(Limiter.Kind.SOURCE_IDLE, "price", "9 records wait in price-0", "resume", 1));
            awaitText(browser, "limiter", "no readable records are waiting");
            assertThat(count(browser, "#graph .limits")).isZero();
        }
    }

    @Test
    void page_ofPartitionsWithoutAKnownLag_saysSo() throws Exception {
        StubPipeline pipeline = new StubPipeline("unknown");
        PartitionDump partition = StubConsumer.partition(0, Duration.ZERO);
        consumer.partitions.add(partition.toBuilder().lag(-1).build());
        pipeline.handles.add(consumer);
        try (ConsoleServer console = ConsoleServer.builder().start(pipeline);
                Browser browser = new Browser(folder)) {
            browser.open(console.uri());
            awaitText(browser, "figures", "Lagnot knownLag gone innot known");
            await().atMost(PATIENCE)
                    .until(() -> browser.evaluate("document.getElementById('rates').getAttribute('aria-label')")
                            .contains("and an unknown lag;"));
            assertThat(browser.troubles).isEmpty();
        }
    }

    /** Regression: the page called each answer without readings no answer. */
    @Test
    void page_whoseReadingsAreRefused_saysWhy() throws Exception {
        List<Socket> readers = new ArrayList<>();
        try (ConsoleServer console = ConsoleServer.builder().start(new StubPipeline("watched"));
                Asker asker = new Asker(console);
                Browser browser = new Browser(folder)) {
            for (int i = 0; i < 32; i++) {
                Socket reader = asker.connect();
                readers.add(reader);
                reader.getOutputStream()
                        .write("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .getBytes(StandardCharsets.ISO_8859_1));
                assertThat(reader.getInputStream().readNBytes(12)).hasSize(12);
            }
            browser.open(console.uri());
            awaitText(browser, "trouble", ": there are 32 readers of events already. Trying again");
            assertThat(browser.textOf("run-state")).isEqualTo("no readings");
            for (Socket reader : readers) {
                reader.close();
            }
            awaitText(browser, "pipeline", "watched");
            assertThat(browser.evaluate("String(document.getElementById('trouble').hidden)"))
                    .isEqualTo("true");
        } finally {
            for (Socket reader : readers) {
                reader.close();
            }
        }
    }

    @Test
    void page_inDarkAndLight_keepsTheRulesOfAccessibility() throws Exception {
        consumer.partitions.add(StubConsumer.partition(0, Duration.ofSeconds(3), Paused.USER));
        consumer.partitions.add(StubConsumer.partition(1, Duration.ofSeconds(3), Paused.WINDOW));
        try (Browser browser = new Browser(folder);
                Dispatcher pool = Dispatcher.fixed("pricing", 2);
                RunningPipeline running = run(pool);
                ConsoleServer console = ConsoleServer.builder()
                        .breaker("prices", CircuitBreaker.consecutive(3, Duration.ofMinutes(1)))
                        .start()) {
            console.show(withConsumer(running), () -> limiter(running));
            var refused = console.set(Map.of("what.ever", "1"));
            assertThat(refused.accepted()).isFalse();
            browser.open(console.uri());
            awaitText(browser, "limiter", "Limited by stage price");
            awaitText(browser, "timeline", "what.ever");
            await().atMost(PATIENCE).until(() -> count(browser, "#threads canvas") >= 2);
            browser.assertAccessible("light");
            browser.assertAccessible("dark");
            over.set(true);
            assertThat(running.await().drained()).isTrue();
        }
    }

    @Test
    void page_ofAConsoleWithAToken_asksForIt() throws Exception {
        StubPipeline pipeline = new StubPipeline("guarded");
        try (Browser browser = new Browser(folder);
                ConsoleServer console =
                        ConsoleServer.builder().token("a-token-of-some-length").start(pipeline)) {
            assertThat(console.set(Map.of("what.ever", "1")).accepted()).isFalse();
            browser.open(console.uri());
            await().atMost(PATIENCE)
                    .until(() -> browser.evaluate("document.getElementById('login')?.hidden")
                            .equals("false"));
            // A page from which a token is copied may contain invisible characters.
            assertThat(browser.evaluate("document.getElementById('token').value = 'a-token-of-some-length\\u200b',"
                            + " String(document.getElementById('login').checkValidity())"))
                    .isEqualTo("false");
            give(browser, "another-token-of-some-length");
            awaitText(browser, "login-title", "not the token");
            give(browser, " a-token-of-some-length ");
            awaitText(browser, "pipeline", "guarded");
            awaitText(browser, "timeline", "what.ever");
            assertThat(console.set(Map.of("another.change", "1")).accepted()).isFalse();
            awaitText(browser, "timeline", "another.change = 1, by code");
            assertThat(browser.evaluate("location.href")).doesNotContain("token");
        }
    }

    private static void give(Browser browser, String token) throws Exception {
        String given = browser.evaluate("document.getElementById('token').value = '" + token + "',"
                + " document.getElementById('login').requestSubmit(), 'given'");
        assertThat(given).isEqualTo("given");
    }

    private static Path target(String name) {
        return Path.of(System.getProperty("weir.root", "."), MODULE, name);
    }

    private static void awaitText(Browser browser, String id, String text) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(browser.textOf(id)).contains(text));
    }

    private static int count(Browser browser, String selector) throws Exception {
        return Integer.parseInt(browser.evaluate("document.querySelectorAll('" + selector + "').length"));
    }

    /** Returns the number of readings on the page. */
    private static int looks(Browser browser) throws Exception {
        String label = browser.evaluate("document.getElementById('rates')?.getAttribute('aria-label') ?? ''");
        String found = label.replaceAll(".*last ([0-9]+) seconds.*", "$1");
        return found.matches("[0-9]+") ? Integer.parseInt(found) : 0;
    }
}
