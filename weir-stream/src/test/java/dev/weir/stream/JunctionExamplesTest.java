package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Runs the examples of {@link FanInOperators} and {@link FanOutOperators}. */
class JunctionExamplesTest {

    private static final List<String> SEEN = Collections.synchronizedList(new ArrayList<>());

    private static <T> List<T> run(Source<T> source) throws Exception {
        List<T> seen = new ArrayList<>();
        try (RunningPipeline running = source.to(Sink.forEach(seen::add)).run()) {
            running.await();
        }
        return seen;
    }

    private static void run(Pipeline pipeline) throws Exception {
        try (RunningPipeline running = pipeline.run()) {
            running.await();
        }
    }

    private static Sink<Object> into(List<Object> list) {
        return Sink.forEach(list::add);
    }

    @Test
    void merges() throws Exception {
        Source<String> orders = Source.of("order 1", "order 2");
        Source<String> returns = Source.of("return 1");
        Source<String> complaints = Source.of("complaint 1");
        assertThat(run(orders.merge(returns, complaints).map(String::length))).containsExactlyInAnyOrder(7, 7, 8, 11);
        assertThat(run(orders.mergePreferred(returns))).hasSize(3);
        assertThat(run(orders.mergePrioritized(List.of(returns, complaints), 6, 3, 1)))
                .hasSize(4);
        Source<Integer> today = Source.of(2, 5);
        Source<Integer> yesterday = Source.of(1, 3, 6);
        assertThat(run(today.mergeSorted(yesterday, Comparator.naturalOrder()))).containsExactly(1, 2, 3, 5, 6);
    }

    @Test
    void latest() throws Exception {
        Source<String> temperature = Source.of("20 C");
        Source<String> pressure = Source.of("1013 hPa");
        Source<String> humidity = Source.of("60 %");
        assertThat(run(temperature.mergeLatest(pressure, humidity)))
                .containsExactly(List.of("20 C", "1013 hPa", "60 %"));
        assertThat(run(temperature.zipLatest(pressure))).allMatch(new Pair<>("20 C", "1013 hPa")::equals);
        Source<Integer> orders = Source.of(10);
        Source<Integer> rates = Source.of(3);
        assertThat(run(orders.zipLatestWith(rates, (order, rate) -> order * rate)))
                .allMatch(n -> n == 30);
    }

    @Test
    void oneAfterTheOther() throws Exception {
        Source<Integer> history = Source.of(1, 2);
        Source<Integer> live = Source.of(3);
        assertThat(run(history.concat(live))).containsExactly(1, 2, 3);
        assertThat(run(Source.of("line").prepend(Source.of("header")))).containsExactly("header", "line");
        Source<Integer> matches = history.filter(n -> n > 2);
        assertThat(run(matches.orElse(Source.of(-1)))).containsExactly(-1);
        assertThat(run(Source.of(1, 2, 3, 4).interleave(Source.of(10, 20), 2))).containsExactly(1, 2, 10, 20, 3, 4);
    }

    @Test
    void zips() throws Exception {
        Source<String> names = Source.of("Ada", "Bob");
        Source<Integer> ages = Source.of(36, 40, 50);
        assertThat(run(names.zip(ages).map(pair -> pair.first() + " is " + pair.second())))
                .containsExactly("Ada is 36", "Bob is 40");
        assertThat(run(Source.of(2, 3).zipWith(Source.of(5, 7), (price, amount) -> price * amount)))
                .containsExactly(10, 21);
        assertThat(run(Source.of("a", "b", "c").zipAll(Source.of(1), "-", 0)))
                .containsExactly(new Pair<>("a", 1), new Pair<>("b", 0), new Pair<>("c", 0));
        assertThat(run(Source.of(1, 2).zipN(Source.of(10, 20), Source.of(100, 200))))
                .containsExactly(List.of(1, 10, 100), List.of(2, 20, 200));
        Source<Pair<String, Integer>> users = names.zip(ages);
        assertThat(run(users.unzip(
                        Pair::first, Pair::second, (n, a) -> n.map(String::trim).zip(a))))
                .containsExactly(new Pair<>("Ada", 36), new Pair<>("Bob", 40));
    }

    @Test
    void sideSinks() throws Exception {
        List<Object> audit = Collections.synchronizedList(new ArrayList<>());
        List<Object> rejects = Collections.synchronizedList(new ArrayList<>());
        Source<Integer> orders = Source.of(1, -2, 3);
        assertThat(run(orders.alsoTo(into(audit)).map(order -> order * 10))).containsExactly(10, -20, 30);
        assertThat(audit).containsExactly(1, -2, 3);
        assertThat(run(orders.wireTap(Sink.forEach(order -> SEEN.add("saw " + order)))))
                .hasSize(3);
        assertThat(run(orders.divertTo(into(rejects), order -> order < 0))).containsExactly(1, 3);
        assertThat(rejects).containsExactly(-2);
    }

    @Test
    void branches() throws Exception {
        Source<Integer> events = Source.of(1, 2, 3);
        assertThat(run(events.broadcast(List.<Function<Source<Integer>, Source<String>>>of(
                        s -> s.map(e -> "index " + e), s -> s.filter(e -> e > 2).map(e -> "alarm " + e)))))
                .containsExactlyInAnyOrder("index 1", "index 2", "index 3", "alarm 3");
        assertThat(run(events.balance(4, s -> s.map(page -> page + 1)))).containsExactlyInAnyOrder(2, 3, 4);
        assertThat(run(events.partition(8, e -> Math.floorMod(e.hashCode(), 8), s -> s.map(e -> e + 1))))
                .containsExactlyInAnyOrder(2, 3, 4);
    }

    @Test
    void sinksOnly() throws Exception {
        List<Object> archive = Collections.synchronizedList(new ArrayList<>());
        List<Object> alarms = Collections.synchronizedList(new ArrayList<>());
        Source<Integer> events = Source.of(1, 2, 3);
        run(events.broadcastTo(into(archive), into(alarms)));
        assertThat(archive).containsExactly(1, 2, 3);
        assertThat(alarms).containsExactly(1, 2, 3);
        run(events.partitionTo(e -> e > 2 ? 1 : 0, into(archive), into(alarms)));
        assertThat(archive).hasSize(5);
        assertThat(alarms).hasSize(4);
        run(events.balanceTo(into(archive), into(alarms)));
        assertThat(archive.size() + alarms.size()).isEqualTo(12);
        List<Object> halves = Collections.synchronizedList(new ArrayList<>());
        run(events.unzipTo(e -> e, into(halves), e -> -e, into(halves)));
        assertThat(halves).containsExactlyInAnyOrder(1, 2, 3, -1, -2, -3);
    }

    @Test
    void substreams() throws Exception {
        Source<Integer> numbers = Source.of(1, 2, 3, 4, 5);
        assertThat(run(numbers.flatMapConcat(n -> Source.of(n, -n))))
                .containsExactly(1, -1, 2, -2, 3, -3, 4, -4, 5, -5);
        assertThat(run(numbers.flatMapMerge(8, n -> Source.of(n, -n)))).hasSize(10);
        assertThat(run(numbers.switchMap(n -> Source.of(n, -n)))).containsExactly(5, -5);
        assertThat(run(numbers.groupBy(n -> n % 2, 2, parity -> parity.grouped(10))))
                .containsExactlyInAnyOrder(List.of(1, 3, 5), List.of(2, 4));
        Source<String> lines = Source.of("intro", "# one", "text", "# two", "");
        assertThat(run(lines.splitWhen(line -> line.startsWith("#"), chapter -> chapter.grouped(1000))))
                .containsExactly(List.of("intro"), List.of("# one", "text"), List.of("# two", ""));
        assertThat(run(lines.splitAfter(line -> line.startsWith("#"), part -> part.grouped(1000))))
                .containsExactly(List.of("intro", "# one"), List.of("text", "# two"), List.of(""));
        assertThat(run(Source.of("id", "1", "2")
                        .prefixAndTail(1, (header, rows) -> rows.map(row -> header.getFirst() + "=" + row))))
                .containsExactly("id=1", "id=2");
    }
}
