package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.testing.SinkProbe;
import dev.weir.stream.testing.SourceProbe;
import dev.weir.stream.testing.VirtualClock;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Runs the examples in the Javadoc of the grouping and timed operators. */
class GroupingExamplesTest {

    private static <T> List<T> run(Source<T> source) throws Exception {
        List<T> seen = new ArrayList<>();
        try (RunningPipeline running = source.to(Sink.forEach(seen::add)).run()) {
            running.await();
        }
        return seen;
    }

    private static Source<Integer> numbers(int count) {
        return Source.from(IntStream.range(0, count).boxed().toList());
    }

    @Test
    void grouped_example() throws Exception {
        assertThat(run(Source.of(1, 2, 3, 4, 5).grouped(2))).containsExactly(List.of(1, 2), List.of(3, 4), List.of(5));
    }

    @Test
    void groupedWithin_example() throws Exception {
        assertThat(run(numbers(2500).groupedWithin(1000, Duration.ofMillis(100)).map(List::size)))
                .satisfies(sizes ->
                        assertThat(sizes.stream().mapToInt(size -> size).sum()).isEqualTo(2500))
                .allMatch(size -> size <= 1000);
    }

    @Test
    void groupedWeighted_example() throws Exception {
        assertThat(run(Source.of("aa", "b", "cccc").groupedWeighted(3, String::length)))
                .containsExactly(List.of("aa", "b"), List.of("cccc"));
    }

    @Test
    void groupedWeightedWithin_example() throws Exception {
        Source<String> source = Source.of("a line", "another");
        assertThat(run(source.groupedWeightedWithin(1_000_000, Duration.ofMillis(50), line -> line.length())
                        .mapConcat(lines -> lines)))
                .containsExactly("a line", "another");
    }

    private record Row(String table, int id) {}

    @Test
    void groupedAdjacentBy_examples() throws Exception {
        assertThat(run(Source.of("a1", "a2", "b1", "a3").groupedAdjacentBy(s -> s.charAt(0), 100)))
                .containsExactly(List.of("a1", "a2"), List.of("b1"), List.of("a3"));
        Source<Row> rows = Source.of(new Row("orders", 1), new Row("orders", 2), new Row("customers", 1));
        assertThat(run(rows.groupedAdjacentBy(row -> row.table(), 1000, Duration.ofMillis(100))
                        .mapConcat(group -> group)))
                .extracting(Row::id)
                .containsExactly(1, 2, 1);
    }

    @Test
    void sliding_example() throws Exception {
        assertThat(run(Source.of(1, 2, 3, 4).sliding(3, 1))).containsExactly(List.of(1, 2, 3), List.of(2, 3, 4));
    }

    @Test
    void batch_example() throws Exception {
        Source<String> source = Source.of("a", "b", "c");
        assertThat(String.join(
                        "",
                        run(source.batch(100, StringBuilder::new, StringBuilder::append)
                                .map(StringBuilder::toString))))
                .isEqualTo("abc");
    }

    @Test
    void batchWeighted_example() throws Exception {
        Source<String> source = Source.of("a", "b", "c");
        assertThat(String.join(
                        "",
                        run(source.batchWeighted(65_536, String::length, StringBuilder::new, StringBuilder::append)
                                .map(StringBuilder::toString))))
                .isEqualTo("abc");
    }

    @Test
    void conflate_examples() throws Exception {
        Source<Integer> prices = numbers(1000);
        assertThat(run(prices.conflate((older, newer) -> newer)).getLast()).isEqualTo(999);
        Source<Integer> clicks = numbers(1000);
        assertThat(run(clicks.conflateWithSeed(click -> 1L, (count, click) -> count + 1)).stream()
                        .mapToLong(count -> count)
                        .sum())
                .isEqualTo(1000);
    }

    private record Reading(int value, int age) {
        Reading older() {
            return new Reading(value, age + 1);
        }
    }

    @Test
    void expand_example() throws Exception {
        SourceProbe<Reading> readings = new SourceProbe<>();
        SinkProbe<Reading> out = new SinkProbe<>();
        try (RunningPipeline running = readings.source()
                .expand(reading -> Stream.iterate(reading, last -> last.older()).iterator())
                .to(out.sink())
                .run()) {
            readings.emit(new Reading(20, 0)).awaitPull();
            assertThat(out.expectNext(3)).extracting(Reading::age).containsExactly(0, 1, 2);
            running.stop();
            out.requestAll();
        }
    }

    @Test
    void extrapolate_example() throws Exception {
        SourceProbe<Reading> positions = new SourceProbe<>();
        SinkProbe<Reading> out = new SinkProbe<>();
        try (RunningPipeline running = positions
                .source()
                .extrapolate(last -> Collections.nCopies(3, last.older()).iterator())
                .to(out.sink())
                .run()) {
            positions.emit(new Reading(20, 0)).awaitPull();
            assertThat(out.expectNext(4)).extracting(Reading::age).containsExactly(0, 1, 1, 1);
            running.stop();
            out.requestAll();
        }
    }

    @Test
    void buffer_example() throws Exception {
        Source<Integer> ticks = numbers(1000);
        assertThat(run(ticks.buffer(10_000, OverflowStrategy.DROP_HEAD).map(tick -> tick + 1)))
                .hasSize(1000);
    }

    @Test
    void throttle_examples() throws Exception {
        assertThat(run(numbers(3).throttle(1000, Duration.ofSeconds(1)))).containsExactly(0, 1, 2);
        // Drops elements above the rate. All elements of a batch arrive at once.
        Source<Integer> enforced = numbers(500)
                .throttle(100, Duration.ofHours(1), 100, ThrottleMode.ENFORCING)
                .with(Attributes.NONE.withSupervision(Supervision.skip()));
        assertThat(run(enforced)).hasSize(100);
        Source<byte[]> source = Source.of(new byte[100], new byte[2000]);
        assertThat(run(source.throttle(
                        1_000_000, Duration.ofSeconds(1), 1000, bytes -> bytes.length, ThrottleMode.SHAPING)))
                .hasSize(2);
    }

    private record Order(String customer) {}

    private record Message(URI url) {}

    private static Order book(Order order) {
        return order;
    }

    @Test
    void throttlePerKey_examples() throws Exception {
        Source<Order> orders = Source.of(new Order("a"), new Order("b"));
        assertThat(run(orders.throttlePerKey(10, Duration.ofSeconds(1), 10, order -> order.customer())
                        .mapBlocking(64, Ordering.byKey(order -> order.customer()), order -> book(order))))
                .hasSize(2);
        Source<Message> messages = Source.of(new Message(URI.create("https://one.example/a")));
        assertThat(run(messages.throttlePerKey(
                        100, Duration.ofSeconds(1), 20, message -> message.url().getHost(), 50_000)))
                .hasSize(1);
    }

    private record Retry(Duration backOff) {}

    @Test
    void delay_examples() throws Exception {
        VirtualClock clock = new VirtualClock();
        SourceProbe<Retry> retries = new SourceProbe<>();
        SinkProbe<Retry> out = new SinkProbe<Retry>().requestAll();
        try (RunningPipeline running = retries.source()
                .delay(Duration.ofSeconds(30))
                .delay(retry -> retry.backOff(), 10_000)
                .to(out.sink())
                .on(clock)
                .run()) {
            retries.emit(new Retry(Duration.ofSeconds(5))).awaitPull();
            clock.advance(Duration.ofSeconds(30));
            retries.awaitPull();
            clock.advance(Duration.ofSeconds(5));
            assertThat(out.expectNext().backOff()).hasSeconds(5);
            running.stop();
        }
    }

    @Test
    void takeWithinAndDropWithin_examples() throws Exception {
        Source<Integer> prices = Source.of(1, 2, 3);
        assertThat(prices.takeWithin(Duration.ofMinutes(1)).runTo(Sink.toList()))
                .containsExactly(1, 2, 3);
        Source<Integer> temperatures = Source.of(17, 19);
        assertThat(run(temperatures.dropWithin(Duration.ofSeconds(30)))).isEmpty();
    }

    @Test
    void initialDelay_example() throws Exception {
        VirtualClock clock = new VirtualClock();
        SinkProbe<Integer> out = new SinkProbe<Integer>().requestAll();
        try (RunningPipeline running = Source.of(1)
                .initialDelay(Duration.ofSeconds(5))
                .to(out.sink())
                .on(clock)
                .run()) {
            clock.awaitWaiters(1);
            out.expectNothing();
            clock.advance(Duration.ofSeconds(5));
            assertThat(out.expectNext()).isEqualTo(1);
            running.await();
        }
    }

    @Test
    void debounceAndSample_examples() throws Exception {
        Source<String> keystrokes = Source.of("w", "we", "weir");
        assertThat(run(keystrokes.debounce(Duration.ofMillis(300)).map(text -> text + "?")))
                .containsExactly("weir?");
        Source<Integer> prices = numbers(1000);
        assertThat(run(prices.sample(Duration.ofSeconds(1)))).endsWith(999);
    }
}
