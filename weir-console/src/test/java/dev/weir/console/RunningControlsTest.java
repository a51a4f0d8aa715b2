package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.kafka.CircuitBreaker;
import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Tests the controls of a running pipeline. */
@Timeout(60)
class RunningControlsTest {

    private static final int ELEMENTS = 600;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Semaphore mayEnd = new Semaphore(0);
    private final AtomicInteger atWork = new AtomicInteger();
    private final List<Integer> out = new CopyOnWriteArrayList<>();

    private Integer work(Integer element) throws InterruptedException {
        atWork.incrementAndGet();
        try {
            mayEnd.acquire();
            return element;
        } finally {
            atWork.decrementAndGet();
        }
    }

    @Test
    void parallelismAndSize_set_holdAtOnceAndLoseNothing() throws Exception {
        try (Dispatcher pool = Dispatcher.fixed("pricing", 3);
                RunningPipeline running = Source.range(0, ELEMENTS)
                        .mapBlocking(2, Ordering.input(), this::work)
                        .named("price")
                        .mapParallel(Parallelism.fixed(2), element -> element)
                        .with(Attributes.NONE.withDispatcher(pool))
                        .named("encode")
                        .to(Sink.forEach(out::add))
                        .run();
                ConsoleServer console = ConsoleServer.builder().start(running);
                Asker asker = new Asker(console)) {
            await().atMost(PATIENCE).until(() -> atWork.get() == 2);
            assertThat(value(asker, "stage.price.parallelism")).isEqualTo("2");
            assertThat(value(asker, "dispatcher.pricing.size")).isEqualTo("3");

            JsonNode report = asker.set("{\"stage.price.parallelism\":24,\"dispatcher.pricing.size\":5,"
                    + "\"stage.encode.parallelism\":5}");
            assertThat(report.path("refused")).isEmpty();
            await().atMost(PATIENCE).until(() -> atWork.get() == 24);
            assertThat(pool.size()).isEqualTo(5);
            assertThat(value(asker, "stage.price.parallelism")).isEqualTo("24");
            assertThat(stage(asker, "price").path("parallelism").asInt()).isEqualTo(24);
            assertThat(stage(asker, "encode").path("parallelism").asInt()).isEqualTo(5);

            assertThat(asker.set("{\"stage.price.parallelism\":3000000000}")
                            .at("/refused/0/reason")
                            .asText())
                    .contains("1 to 512");
            JsonNode refused = asker.set("{\"stage.price.parallelism\":100000,\"dispatcher.pricing.size\":0,"
                            + "\"dispatcher.virtual.size\":4,\"stage.price.parallelism \":3}")
                    .path("refused");
            assertThat(refused).hasSize(4);
            assertThat(refused.get(0).path("reason").asText()).contains("1 to 512");
            assertThat(refused.get(2).path("reason").asText()).contains("VIRTUAL");

            mayEnd.release(ELEMENTS);
            assertThat(running.await().drained()).isTrue();
            assertThat(asker.json("/api/state").path("state").asText()).isEqualTo("ended");
            assertThat(asker.set("{\"stage.price.parallelism\":3}")
                            .path("refused")
                            .get(0)
                            .path("reason")
                            .asText())
                    .contains("has ended");
        }
        assertThat(out).hasSize(ELEMENTS).isSorted().doesNotHaveDuplicates();
    }

    private static String value(Asker asker, String key) throws Exception {
        return StreamSupport.stream(asker.json("/api/state").path("controls").spliterator(), false)
                .filter(knob -> knob.path("key").asText().equals(key))
                .findFirst()
                .orElseThrow()
                .path("value")
                .asText();
    }

    private static JsonNode stage(Asker asker, String name) throws Exception {
        return StreamSupport.stream(asker.json("/api/state").path("stages").spliterator(), false)
                .filter(stage -> stage.path("name").asText().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Regression: the console showed its own pause for ever. */
    @Test
    void sourcePause_endedOrBegunByCode_isShown() throws Exception {
        StubConsumer consumer = new StubConsumer("[orders]");
        consumer.partitions.add(StubConsumer.partition(0, Duration.ZERO));
        StubPipeline pipeline = new StubPipeline("orders");
        pipeline.handles.add(consumer);
        try (ConsoleServer console = ConsoleServer.builder().start(pipeline);
                Asker asker = new Asker(console)) {
            assertThat(asker.set("{\"source.paused\":true}").path("refused")).isEmpty();
            assertThat(value(asker, "source.paused")).isEqualTo("true");
            assertThat(consumer.resume()).isCompleted();
            await().atMost(PATIENCE).until(() -> value(asker, "source.paused").equals("false"));
            assertThat(consumer.pause()).isCompleted();
            await().atMost(PATIENCE).until(() -> value(asker, "source.paused").equals("true"));
        }
    }

    @Test
    void breakerAndLogger_set_change() throws Exception {
        CircuitBreaker breaker = CircuitBreaker.consecutive(3, Duration.ofMinutes(1));
        Logger logger = Logger.getLogger("dev.weir.console.RunningControlsTest.logged");
        StubPipeline pipeline = new StubPipeline("orders");
        try (ConsoleServer console =
                        ConsoleServer.builder().breaker("prices", breaker).start(pipeline);
                Asker asker = new Asker(console)) {
            asker.set("{\"breaker.prices\":\"open\",\"log." + logger.getName() + "\":\"debug\"}");
            assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.OPEN);
            assertThat(logger.getLevel()).isEqualTo(Level.FINE);
            assertThat(value(asker, "breaker.prices")).isEqualTo("open");
            asker.set("{\"breaker.prices\":\"closed\"}");
            assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.CLOSED);
            asker.set("{\"log." + logger.getName() + "\":\"trace\"}");
            assertThat(LoggerFactory.getLogger(logger.getName()).isTraceEnabled())
                    .isTrue();
            JsonNode refused = asker.set("{\"breaker.prices\":\"ajar\",\"log.x\":\"loud\"}")
                    .path("refused");
            assertThat(refused).hasSize(2);
        }
    }
}
