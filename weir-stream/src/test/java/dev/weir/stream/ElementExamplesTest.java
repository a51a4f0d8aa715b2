package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the examples in the Javadoc of the element operators, sources and sinks. */
class ElementExamplesTest {

    private static void emits(Source<?> source, Object... elements) throws InterruptedException {
        assertThat(source.map(element -> (Object) element).toList()).containsExactly(elements);
    }

    @Test
    void examples_thatReplaceElements_emitWhatTheySay() throws Exception {
        emits(Source.of(1, 2, 3).map(n -> n * 10), 10, 20, 30);
        emits(Source.of("1", "x", "2").collect(s -> s.equals("x") ? null : Integer.valueOf(s)), 1, 2);
        emits(Source.<Object>of(1, "two", 3).collect(Integer.class), 1, 3);
        emits(Source.of(1, 2, 3).mapConcat(n -> Collections.nCopies(n, n)), 1, 2, 2, 3, 3, 3);
        emits(Source.of(3, 1, 2).statefulMap(() -> new long[1], (sum, n) -> sum[0] += n), 3L, 4L, 6L);
        emits(Source.of(1, 2, 3).scan(0, Integer::sum), 0, 1, 3, 6);
        emits(Source.of(1, 2, 3).fold(10, Integer::sum), 16);
        emits(Source.of(3, 1, 2).reduce(Integer::max), 3);
        emits(Source.of("a", "b").zipWithIndex(), new Indexed<>(0, "a"), new Indexed<>(1, "b"));
        emits(Source.of("a", "b", "c").intersperse(","), "a", ",", "b", ",", "c");
        emits(Source.of("1", "2").intersperse("[", ",", "]"), "[", "1", ",", "2", "]");
    }

    @Test
    void examples_thatDropElements_emitWhatTheySay() throws Exception {
        emits(Source.of(1, 2, 3, 4).filter(n -> n % 2 == 0), 2, 4);
        emits(Source.of("a", "", "b").filterNot(String::isEmpty), "a", "b");
        emits(Source.repeat("x").take(3), "x", "x", "x");
        emits(Source.of(1, 2, 3, 1).takeWhile(n -> n < 3), 1, 2);
        emits(Source.of(1, 2, 3, 1).takeWhile(n -> n < 3, true), 1, 2, 3);
        emits(Source.of(1, 2, 3).drop(2), 3);
        emits(Source.of(1, 2, 3, 1).dropWhile(n -> n < 3), 3, 1);
        emits(Source.of("a1", "b1", "a2", "c1").deduplicate(s -> s.charAt(0), 1000), "a1", "b1", "c1");
        emits(Source.of(1, 1, 2, 1).dropRepeated(), 1, 2, 1);
    }

    @Test
    void examples_thatOnlyLook_letElementsThrough() throws Exception {
        LongAdder counter = new LongAdder();
        emits(Source.of(1, 2, 3).tap(n -> counter.add(n)), 1, 2, 3);
        assertThat(counter.sum()).isEqualTo(6);
        emits(Source.of(1, 2, 3).log(System.getLogger("orders"), System.Logger.Level.DEBUG), 1, 2, 3);
        assertThat(Source.from(List.of("row")).limit(10_000).toList()).containsExactly("row");
        assertThatThrownBy(Source.range(0, 10_001).limit(10_000)::toList).isInstanceOf(LimitExceededException.class);
    }

    @Test
    void limitWeighted_example() throws Exception {
        List<String> rows = List.of("row", "another");
        assertThat(Source.from(rows).limitWeighted(1_000_000, String::length).toList())
                .isEqualTo(rows);
    }

    @Test
    void unfold_emitsWhatTheFunctionMakes() throws Exception {
        Source<Integer> powers =
                Source.unfold(1, n -> n > 100 ? Optional.empty() : Optional.of(new Unfolded<>(2 * n, n)));
        emits(powers, 1, 2, 4, 8, 16, 32, 64);
    }

    @Test
    void resource_readsAFile(@TempDir Path directory) throws Exception {
        Path path = Files.writeString(directory.resolve("lines"), "one\ntwo\n");
        Source<String> lines = Source.resource(
                () -> Files.newBufferedReader(path),
                reader -> Optional.ofNullable(reader.readLine()),
                BufferedReader::close);
        emits(lines, "one", "two");
    }

    @Test
    void runTo_returnsTheResult() throws Exception {
        long even = Source.range(0, 10).filter(n -> n % 2 == 0).runTo(Sink.count());
        assertThat(even).isEqualTo(5);
    }

    @Test
    void takeLast_andForEachAsync_examples() throws Exception {
        Source<String> lines = Source.of("one", "two", "three");
        assertThat(lines.runTo(Sink.takeLast(10))).containsExactly("one", "two", "three");
        Map<String, Integer> store = new ConcurrentHashMap<>();
        try (RunningPipeline running = lines.to(Sink.forEachAsync(
                        100, line -> CompletableFuture.runAsync(() -> store.put(line, line.length()))))
                .run()) {
            running.await();
        }
        assertThat(store).containsOnlyKeys("one", "two", "three");
    }

    private record Order(int pieces) {
        boolean isLarge() {
            return pieces > 10;
        }
    }

    @Test
    void sinkThroughOperators_hasTheResultOfTheLast() throws Exception {
        ResultSink<Order, Optional<Order>> firstLarge =
                Sink.through(orders -> orders.filter(Order::isLarge), Sink.headOption());
        assertThat(Source.of(new Order(1), new Order(20), new Order(30)).runTo(firstLarge))
                .contains(new Order(20));
    }

    @Test
    void result_ofARunningPipeline_isAFuture() throws Exception {
        ResultSink<Integer, Long> count = Sink.count();
        try (RunningPipeline running = Source.range(0, 10).to(count).run()) {
            assertThat(running.result(count).join()).isEqualTo(10);
        }
    }

    @Test
    void sourceQueue_tellsWhatBecameOfAnOffer() throws Exception {
        SourceQueue<String> orders = SourceQueue.of(1);
        String answers = "";
        for (int i = 0; i < 3; i++) {
            answers += switch (orders.offer("order " + i)) {
                case SourceQueue.Enqueued enqueued -> "accepted ";
                case SourceQueue.Full full -> "later ";
                case SourceQueue.Closed closed -> "gone ";
            };
            if (i == 1) {
                orders.complete();
            }
        }
        assertThat(answers).isEqualTo("accepted later gone ");
        assertThat(Source.queue(orders).toList()).containsExactly("order 0");
    }

    @Test
    void sinkQueue_isTakenAtTheTakersPace() throws Exception {
        SinkQueue<Integer> orders = SinkQueue.create();
        int sum = 0;
        try (RunningPipeline running =
                Source.range(0, 1000).to(Sink.queue(orders)).run()) {
            for (var order = orders.take(); order.isPresent(); order = orders.take()) {
                sum += order.get();
            }
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(sum).isEqualTo(499_500);
    }
}
