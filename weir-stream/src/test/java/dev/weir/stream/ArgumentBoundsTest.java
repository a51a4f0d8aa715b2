package dev.weir.stream;

import static dev.weir.stream.Dispatcher.virtual;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that a call refuses arguments out of bounds, with a message that contains the parameter and its value. */
class ArgumentBoundsTest {

    private static final int MAX = Integer.MAX_VALUE;
    private static final Duration ZERO = Duration.ZERO;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration BACK = Duration.ofSeconds(Long.MIN_VALUE);
    private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    private static final Source<Integer> ONE = Source.of(1);
    private static final BiFunction<Integer, Integer, Integer> SUM = Integer::sum;
    private static final Handler<Integer, Integer> HANDLER = n -> n;
    private static final Flow.Publisher<Integer> PUBLISHER = subscriber -> {};

    private static Arguments row(String expected, ThrowingCallable call) {
        return Arguments.of(expected, call);
    }

    static Stream<Arguments> elements() {
        return Stream.of(
                row("count=-1", () -> ONE.take(-1)),
                row("count=-1", () -> ONE.drop(-1)),
                row("limit=-1", () -> ONE.limit(-1)),
                row("maxWeight=-1", () -> ONE.limitWeighted(-1, n -> 1)),
                row("window=0", () -> ONE.deduplicate(n -> n, 0)),
                row("n=-1", () -> ONE.prefixAndTail(-1, (prefix, rest) -> rest)),
                row("segmentSize=0", () -> ONE.interleave(ONE, 0)),
                row("weights=0", () -> ONE.mergePrioritized(List.of(ONE), 1, 0)),
                row("weights=1", () -> ONE.mergePrioritized(List.of(ONE), 1)),
                row("attempts=0", () -> ONE.recoverWith(0, failure -> ONE)),
                row("count=0", () -> Sink.takeLast(0)));
    }

    static Stream<Arguments> groups() {
        return Stream.of(
                row("count=0", () -> ONE.grouped(0)),
                row("count=0", () -> ONE.groupedWithin(0, SECOND)),
                row("window=PT0S", () -> ONE.groupedWithin(1, ZERO)),
                row("window=" + BACK, () -> ONE.groupedWithin(1, BACK)),
                row("maxWeight=0", () -> ONE.groupedWeighted(0, n -> 1)),
                row("maxWeight=0", () -> ONE.groupedWeightedWithin(0, SECOND, n -> 1)),
                row("window=PT0S", () -> ONE.groupedWeightedWithin(1, ZERO, n -> 1)),
                row("max=0", () -> ONE.groupedAdjacentBy(n -> n, 0)),
                row("max=0", () -> ONE.groupedAdjacentBy(n -> n, 0, SECOND)),
                row("window=PT0S", () -> ONE.groupedAdjacentBy(n -> n, 1, ZERO)),
                row("size=0", () -> ONE.sliding(0, 1)),
                row("step=0", () -> ONE.sliding(1, 0)),
                row("max=0", () -> ONE.batch(0, n -> n, SUM)),
                row("maxWeight=0", () -> ONE.batchWeighted(0, n -> 1, n -> n, SUM)),
                row("capacity=0", () -> ONE.buffer(0, OverflowStrategy.BACKPRESSURE)),
                row("capacity=-1", () -> ONE.buffer(-1, OverflowStrategy.DROP_HEAD)),
                row("maxSubstreams=0", () -> ONE.groupBy(n -> n, 0, source -> source)),
                row("idleAfter=PT-1S", () -> ONE.groupBy(n -> n, 1, Duration.ofSeconds(-1), source -> source)),
                row("breadth=0", () -> ONE.flatMapMerge(0, n -> ONE)));
    }

    static Stream<Arguments> times() {
        return Stream.of(
                row("elements=0", () -> ONE.throttle(0, SECOND)),
                row("elements=-1", () -> ONE.throttle(-1, SECOND, 1, ThrottleMode.SHAPING)),
                row("costs=0", () -> ONE.throttle(0, SECOND, 1, n -> 1, ThrottleMode.SHAPING)),
                row("per=PT0S", () -> ONE.throttle(1, ZERO)),
                row("per=" + BACK, () -> ONE.throttle(1, BACK, 1, ThrottleMode.SHAPING)),
                row("burst=0", () -> ONE.throttle(1, SECOND, 0, ThrottleMode.SHAPING)),
                row("burst=2", () -> ONE.throttle(1, FOREVER, 2, ThrottleMode.SHAPING)),
                row("burst=" + Long.MAX_VALUE, () -> ONE.throttle(1, SECOND, Long.MAX_VALUE, ThrottleMode.SHAPING)),
                row("elements=0", () -> ONE.throttlePerKey(0, SECOND, 1, n -> n)),
                row("burst=0", () -> ONE.throttlePerKey(1, SECOND, 0, n -> n)),
                row("maxHeld=0", () -> ONE.throttlePerKey(1, SECOND, 1, n -> n, 0)),
                row("maxHeld=0", () -> ONE.delay(n -> SECOND, 0)),
                row("quiet=PT0S", () -> ONE.debounce(ZERO)),
                row("interval=PT0S", () -> ONE.sample(ZERO)),
                row("timeout=PT0S", () -> ONE.idleTimeout(ZERO)),
                row("timeout=PT0S", () -> ONE.initialTimeout(ZERO)),
                row("timeout=PT0S", () -> ONE.completionTimeout(ZERO)),
                row("timeout=" + BACK, () -> ONE.backpressureTimeout(BACK)),
                row("interval=PT0S", () -> ONE.keepAlive(ZERO, () -> 1)),
                row("initialDelay=" + BACK, () -> Source.tick(BACK, SECOND, 1)),
                row("interval=PT0S", () -> Source.tick(ZERO, ZERO, 1)),
                row("by=" + FOREVER, () -> new VirtualClock().advance(FOREVER)),
                row("by=PT-1S", () -> new VirtualClock().advance(Duration.ofSeconds(-1))));
    }

    static Stream<Arguments> threads() {
        return Stream.of(
                row("buffer=0", () -> ONE.async(virtual(), 0)),
                row("parallelism=0", () -> ONE.mapParallel(0, HANDLER)),
                row("workers=" + MAX, () -> ONE.mapParallel(MAX, HANDLER)),
                row("parallelism=-1", () -> ONE.mapBlocking(-1, Ordering.input(), HANDLER)),
                row("concurrency=" + MAX, () -> ONE.mapBlocking(MAX, Ordering.input(), HANDLER)),
                row("parallelism=0", () -> ONE.mapAsync(0, CompletableFuture::completedStage)),
                row("parallelism=" + MAX, () -> ONE.mapAsyncUnordered(MAX, CompletableFuture::completedStage)),
                row("parallelism=0", () -> ONE.to(Sink.forEachBlocking(0, n -> {}))),
                row("parallelism=" + MAX, () -> ONE.to(Sink.forEachAsync(MAX, CompletableFuture::completedStage))),
                row("branches=0", () -> ONE.balance(0, source -> source)),
                row("branches=" + MAX, () -> ONE.balance(MAX, source -> source)),
                row("partitions=-1", () -> ONE.partition(-1, n -> 0, source -> source)),
                row("partitions=" + MAX, () -> ONE.partition(MAX, n -> 0, source -> source)),
                row("outputs=0", () -> ONE.broadcast(List.<Function<Source<Integer>, Source<Integer>>>of())),
                row("outputs=0", () -> ONE.balanceTo()),
                row("threads=0", () -> Dispatcher.fixed("d", 0)),
                row("threads=" + MAX, () -> Dispatcher.forkJoin("d", MAX)),
                row("not blank", () -> Dispatcher.single(" ")),
                row("parallelism=0", () -> Parallelism.fixed(0)),
                row("max=1 min=2", () -> Parallelism.adaptive(2, 1)));
    }

    static Stream<Arguments> edges() {
        return Stream.of(
                row("capacity=0", () -> SourceQueue.of(0)),
                row("buffer=0", () -> MergeHub.create(0)),
                row("buffer=0", () -> BroadcastHub.create(0)),
                row("buffer=-1", () -> PartitionHub.create(-1, 1, (n, takers) -> 0)),
                row("minTakers=0", () -> PartitionHub.create(1, 0, (n, takers) -> 0)),
                row("buffer=0", () -> Source.fromPublisher(PUBLISHER, 0)),
                row("buffer=0", () -> Source.processor(0, source -> source)),
                row("must not be blank", () -> ONE.named(" ")),
                row("must not be blank", () -> ONE.to(Sink.ignore()).named("")),
                row("buffer=-1", () -> Attributes.NONE.withBuffer(-1)),
                row("attempts=0", () -> RetryPolicy.of(0, Backoff.NONE)),
                row("min=" + BACK, () -> Backoff.between(BACK, SECOND)),
                row("max=PT0S", () -> Backoff.between(SECOND, ZERO)),
                row("max=" + FOREVER, () -> Backoff.between(SECOND, FOREVER)),
                row("jitter=NaN", () -> Backoff.NONE.withJitter(Double.NaN)),
                row("failures=0", () -> Backoff.NONE.after(0)),
                row("maxRestarts=-1", () -> RestartSettings.of(Backoff.NONE).atMost(-1, SECOND)),
                row("within=PT0S", () -> RestartSettings.of(Backoff.NONE).atMost(1, ZERO)),
                row("within=" + FOREVER, () -> RestartSettings.of(Backoff.NONE).atMost(1, FOREVER)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"elements", "groups", "times", "threads", "edges"})
    void argumentOutOfBounds_isRefusedByTheCall(String expected, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(expected);
    }
}
