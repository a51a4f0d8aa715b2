package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.checks.browser.Browser;
import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.StageSnapshot;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the page's part about the process in a real browser. */
@Timeout(120)
class ConsoleProcessPageTest {

    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /** Never has a permit: each wait times out. */
    private final Semaphore never = new Semaphore(0);

    private final AtomicBoolean over = new AtomicBoolean();

    @TempDir
    Path folder;

    private Long waits(Long number, int millis) throws InterruptedException {
        boolean ignored = never.tryAcquire(millis, TimeUnit.MILLISECONDS);
        return number;
    }

    private RunningPipeline run(Dispatcher pool) {
        return Source.range(0, Long.MAX_VALUE)
                .takeWhile(number -> !over.get())
                .mapBlocking(8, Ordering.input(), number -> waits(number, 20))
                .named("look up")
                .mapBlocking(2, Ordering.input(), number -> waits(number, 1))
                .with(Attributes.NONE.withDispatcher(pool))
                .named("encode")
                .to(Sink.ignore())
                .run();
    }

    private static void awaitText(Browser browser, String id, String text) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(browser.textOf(id)).contains(text));
    }

    private static int looks(Browser browser) throws Exception {
        return Integer.parseInt(browser.evaluate(
                "fetch('/api/state').then(answer => answer.json())" + ".then(state => String(state.look))"));
    }

    private static void click(Browser browser, String selector) throws Exception {
        assertThat(browser.evaluate("document.querySelector('" + selector + "').click(), 'clicked'"))
                .isEqualTo("clicked");
    }

    @Test
    void page_ofAPipelineAsAnApplicationStartsIt_showsTheProcess() throws Exception {
        try (Browser browser = new Browser(folder);
                Dispatcher pool = Dispatcher.fixed("encoding", 2);
                RunningPipeline running = run(pool);
                ConsoleServer console = ConsoleServer.builder().start()) {
            browser.open(console.uri());
            console.announce("Starting the brokers");
            awaitText(browser, "limiter", "Starting the brokers");
            awaitText(browser, "run-state", "starting");
            StubPipeline empty = new StubPipeline("empty");
            empty.stages.add(StageSnapshot.of("look up", 1, 0, 0, 0, 0, 0, 0, 1_000_000_000L));
            console.show(empty, () -> null);
            awaitText(browser, "run-state", "no records yet");
            awaitText(browser, "limiter", "No records yet");
            awaitText(browser, "advice", "given out nothing");
            console.show(running);
            awaitText(browser, "limiter", "Limited by stage look up, which waits");
            awaitText(browser, "interval", "the last 5 s");
            awaitText(browser, "graph", " ms each");
            awaitText(browser, "thread-rows", "Dispatcher encoding");
            awaitText(browser, "thread-rows", "compiler: 1 thread");
            awaitText(browser, "small-charts", "Heap used:");
            await().atMost(PATIENCE).until(() -> looks(browser) >= 12);
            assertThat(browser.textOf("thread-rows")).contains("weir-").contains("parked");
            for (String axis : new String[] {"1", "2", "3", "4"}) {
                click(browser, "#axis-choice button:nth-child(" + axis + ")");
                assertThat(browser.textOf("axis-first")).matches("[0-9:]{8}");
            }
            click(browser, "#count-heap");
            awaitText(browser, "heap", "byte[]");
            assertThat(browser.evaluate("document.querySelectorAll('#heap tbody tr').length"))
                    .isEqualTo("40");
            browser.screenshot(target("console-process.png"));
            browser.assertAccessible("light");
            browser.assertAccessible("dark");
            browser.prefer("light");
            browser.resize(390, 844);
            assertThat(Integer.parseInt(browser.evaluate("String(document.documentElement.scrollWidth)")))
                    .as("no wider than a phone")
                    .isLessThanOrEqualTo(390);
            await().atMost(PATIENCE)
                    .until(() -> browser.evaluate(
                                    "document.querySelector('#graph svg').viewBox.baseVal.width < 400 ? 'narrow' : 'wide'")
                            .equals("narrow"));
            browser.screenshot(target("console-phone.png"));
            assertThat(browser.troubles).isEmpty();
            over.set(true);
        }
    }

    private static Path target(String name) {
        return Path.of(System.getProperty("weir.root", "."), "weir-console/target", name);
    }
}
