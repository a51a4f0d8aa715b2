package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Runs the alternatives to missing Pekko operators that {@code docs/reference/operators-compared.md} shows. */
class ComingFromPekkoTest {

    private final Source<Integer> numbers = Source.of(1, 2, 3, 4);

    private static @Nullable Integer evenOrNull(int n) {
        return n % 2 == 0 ? n : null;
    }

    @Test
    void collectFirst_collectWhile_foldWhile() throws Exception {
        assertThat(numbers.<Integer>collect(n -> evenOrNull(n)).take(1).toList())
                .containsExactly(2);
        assertThat(Source.of(2, 4, 5, 6)
                        .map(n -> Optional.ofNullable(evenOrNull(n)))
                        .takeWhile(Optional::isPresent)
                        .map(Optional::get)
                        .toList())
                .containsExactly(2, 4);
        TrackedSource<Integer> tracked = TrackedSource.numbers(10, 4);
        assertThat(tracked.source()
                        .scan(0, Integer::sum)
                        .takeWhile(sum -> sum < 6, true)
                        .reduce((before, after) -> after)
                        .toList())
                .containsExactly(6);
        assertThat(tracked.finishedCount()).isEqualTo(4);
    }

    private static final class Connection {
        static final AtomicInteger OPEN = new AtomicInteger();

        private int next;

        Connection() {
            OPEN.incrementAndGet();
        }

        String send(int n) {
            return "sent " + n;
        }

        CompletionStage<Optional<Integer>> read() {
            return CompletableFuture.supplyAsync(() -> next < 3 ? Optional.of(next++) : Optional.empty());
        }

        void close() {
            OPEN.decrementAndGet();
        }

        CompletionStage<Integer> closeLater() {
            return CompletableFuture.supplyAsync(OPEN::decrementAndGet);
        }
    }

    @Test
    void mapWithResource_lazySink_unfoldResourceAsync() throws Exception {
        assertThat(numbers.statefulMap(
                                Connection::new,
                                (connection, n) -> connection.send(n),
                                connection -> Optional.empty(),
                                Connection::close)
                        .toList())
                .hasSize(4);
        assertThat(Source.resource(
                                () -> CompletableFuture.supplyAsync(Connection::new)
                                        .toCompletableFuture()
                                        .get(),
                                connection ->
                                        connection.read().toCompletableFuture().get(),
                                connection -> connection
                                        .closeLater()
                                        .toCompletableFuture()
                                        .get())
                        .toList())
                .containsExactly(0, 1, 2);
        assertThat(Connection.OPEN).hasValue(0);
    }

    @Test
    void existsAndForall() throws Exception {
        assertThat(numbers.filter(n -> n > 3).runTo(Sink.headOption()).isPresent())
                .isTrue();
        assertThat(numbers.filterNot(n -> n > 3).runTo(Sink.headOption()).isEmpty())
                .isFalse();
    }

    @Test
    void combinedSinks_and_zipWithN_and_interleaveAll() throws Exception {
        List<Integer> archive = Collections.synchronizedList(new ArrayList<>());
        Sink<Integer> both = Sink.through(source -> source.broadcastTo(Sink.forEach(archive::add), Sink.ignore()));
        try (RunningPipeline running = numbers.to(both).run()) {
            running.await();
        }
        assertThat(archive).containsExactly(1, 2, 3, 4);
        assertThat(numbers.zipN(numbers, numbers).map(Collections::max).toList())
                .containsExactly(1, 2, 3, 4);
        assertThat(Source.of(1, 4)
                        .zipN(Source.of(2, 5), Source.of(3, 6))
                        .mapConcat(each -> each)
                        .toList())
                .containsExactly(1, 2, 3, 4, 5, 6);
    }

    @Test
    void mergeThatEndsWithOneOfItsInputs() throws Exception {
        KillSwitch end = new KillSwitch();
        Source<Integer> ticks = Source.tick(Duration.ZERO, Duration.ofMillis(1), 0);
        assertThat(numbers.watch(how -> end.shutdown())
                        .merge(ticks.via(end))
                        .filter(n -> n > 0)
                        .toList())
                .containsExactly(1, 2, 3, 4);
    }

    @Test
    void flatMapConcatAhead_statefulMapConcat_aggregateWithBoundary() throws Exception {
        assertThat(numbers.mapBlocking(
                                4, Ordering.input(), n -> Source.of(n, -n).toList())
                        .mapConcat(each -> each)
                        .toList())
                .containsExactly(1, -1, 2, -2, 3, -3, 4, -4);
        assertThat(numbers.<int[], List<Integer>>statefulMap(() -> new int[1], (sum, n) -> List.of(n, sum[0] += n))
                        .mapConcat(each -> each)
                        .toList())
                .containsExactly(1, 1, 2, 3, 3, 6, 4, 10);
        assertThat(numbers.splitAfter(n -> n % 2 == 0, part -> part.fold(0, Integer::sum))
                        .toList())
                .containsExactly(3, 7);
    }

    @Test
    void smallSources() throws Exception {
        assertThat(Source.of(Optional.of(1), Optional.<Integer>empty())
                        .<Integer>collect(each -> each.orElse(null))
                        .toList())
                .containsExactly(1);
        assertThat(Source.fromIterator(() -> Stream.iterate(1, n -> n * 2).iterator())
                        .take(4)
                        .toList())
                .containsExactly(1, 2, 4, 8);
        assertThat(numbers.zipWithIndex()
                        .filter(each -> each.index() == 0)
                        .map(Indexed::element)
                        .toList())
                .containsExactly(1);
    }
}
