package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests user functions that return null. The run must fail with the operator's name. */
@NullUnmarked
class NullResultsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static Arguments row(String operator, Function<Source<Integer>, Source<?>> use) {
        return Arguments.of(operator, use);
    }

    static Stream<Arguments> elements() {
        return Stream.of(
                row("map", s -> s.map(any -> null)),
                row("mapConcat", s -> s.mapConcat(any -> null)),
                row("mapConcat", s -> s.mapConcat(n -> Arrays.asList(n, null))),
                row("statefulMap", s -> s.statefulMap(() -> null, (state, n) -> n)),
                row("statefulMap", s -> s.statefulMap(() -> 0, (state, n) -> n, any -> null, state -> {})),
                row("scan", s -> s.scan(0, (one, other) -> null)),
                row("fold", s -> s.fold(0, (one, other) -> null)),
                row("fold", s -> s.reduce((one, other) -> null)),
                row("deduplicate", s -> s.deduplicate(any -> null, 9)),
                row("dropRepeated", s -> s.dropRepeated(any -> null)),
                row("groupedAdjacentBy", s -> s.groupedAdjacentBy(any -> null, 9)),
                row("an aggregate", s -> s.batch(9, any -> null, Integer::sum)),
                row("an aggregate", s -> s.conflateWithSeed(any -> null, Integer::sum)),
                row("expand", s -> s.expand(any -> null)),
                row("delay", s -> s.delay(any -> null, 9)),
                row("throttlePerKey", s -> s.throttlePerKey(9, SECOND, 9, any -> null)));
    }

    static Stream<Arguments> others() {
        return Stream.of(
                row("mapParallel", s -> s.mapParallel(1, n -> null)),
                row("mapBlocking", s -> s.mapBlocking(1, Ordering.input(), n -> null)),
                row("mapAsync", s -> s.mapAsync(1, any -> null)),
                row("mapAsync", s -> s.mapAsync(1, n -> CompletableFuture.completedStage(null))),
                row("scanAsync", s -> s.scanAsync(0, (one, other) -> null)),
                row("foldAsync", s -> s.foldAsync(0, (one, other) -> null)),
                row("zipWith", s -> s.zipWith(s, (one, other) -> null)),
                row("zipLatestWith", s -> Source.repeat(1).zipLatestWith(Source.repeat(2), (one, other) -> null)),
                row("flatMapConcat", s -> s.flatMapConcat(n -> null)),
                row("flatMapMerge", s -> s.flatMapMerge(2, n -> null)),
                row("switchMap", s -> s.switchMap(n -> null)),
                row("prefixAndTail", s -> s.prefixAndTail(1, (prefix, tail) -> null)),
                row("groupBy", s -> s.groupBy(any -> null, 9, group -> group)),
                row(
                        "mapError",
                        s -> s.concat(Source.failed(new IllegalStateException()))
                                .mapError(any -> null)),
                row("keepAlive", s -> Source.never().keepAlive(Duration.ofMillis(1), () -> null)));
    }

    static Stream<Arguments> sources() {
        Supplier<Optional<Unfolded<Integer, Integer>>> nothing = () -> null;
        return Stream.of(
                row("iterable", s -> Source.from(() -> null)),
                row("an element of a stream", s -> Source.from(Arrays.asList(1, null))),
                row("iterator", s -> Source.fromIterator(() -> null)),
                row("cycle", s -> Source.cycle(() -> null)),
                row("unfold", s -> Source.unfold(1, state -> nothing.get())),
                row("unfoldAsync", s -> Source.unfoldAsync(1, state -> null)),
                row(
                        "unfoldAsync",
                        s -> Source.unfoldAsync(1, state -> CompletableFuture.completedStage(nothing.get()))),
                row("resource", s -> Source.resource(() -> null, r -> Optional.empty(), r -> {})),
                row("resource", s -> Source.resource(() -> 1, r -> null, r -> {})),
                row("completionStage", s -> Source.completionStage(CompletableFuture.completedStage(null))),
                row("completionStageSource", s -> Source.completionStageSource(CompletableFuture.completedStage(null))),
                row("lazily", s -> Source.lazily(() -> null)),
                row(
                        "Restart.source",
                        s -> Restart.source(RestartSettings.of(Backoff.NONE).atMost(0, SECOND), () -> null)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"elements", "others", "sources"})
    void functionThatReturnsNull_failsTheRunByName(String operator, Function<Source<Integer>, Source<?>> use) {
        Source<?> source = use.apply(Source.of(1, 2));
        assertThatThrownBy(source::toList).hasMessageContaining(operator).hasMessageMatching("(?s).*(null|nothing).*");
    }

    static Stream<Arguments> blueprints() {
        Source<Integer> source = Source.of(1);
        return Stream.<Function<Source<Integer>, Object>>of(
                        s -> s.broadcast(List.of(branch -> null)),
                        s -> s.balance(2, branch -> null),
                        s -> s.groupBy(n -> n, 9, group -> null),
                        s -> s.splitWhen(n -> true, part -> null),
                        s -> s.unzip(n -> n, n -> n, (left, right) -> null),
                        s -> s.restarted(RestartSettings.of(Backoff.NONE), section -> null),
                        s -> s.to(Sink.through(lower -> null)))
                .map(use -> Arguments.of(source, use));
    }

    @ParameterizedTest
    @MethodSource("blueprints")
    void functionOfABlueprintThatReturnsNull_isRefusedByTheCall(
            Source<Integer> source, Function<Source<Integer>, Object> use) {
        assertThatThrownBy(() -> use.apply(source))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("returned null");
    }
}
