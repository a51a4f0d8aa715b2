package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the elements after a recovered failure, and their acknowledgements. */
class RecoverTest {

    private static final List<int[]> BATCH_SIZES =
            List.of(new int[] {1}, new int[] {2}, new int[] {7}, new int[] {512}, new int[] {0, 1, 512, 0, 0, 7, 33});

    private final IllegalStateException planted = new IllegalStateException("planted");
    private final List<Integer> seen = new ArrayList<>();

    private Source<Integer> failingAt(int bad, Source<Integer> source) {
        return source.map(n -> {
            if (n == bad) {
                throw planted;
            }
            return n;
        });
    }

    private void run(Source<Integer> source) throws InterruptedException {
        try (RunningPipeline running = source.to(Sink.forEach(seen::add)).run()) {
            running.await();
        }
    }

    private static List<Integer> numbers(int to) {
        return IntStream.range(0, to).boxed().toList();
    }

    static Stream<Arguments> sizesAndBad() {
        return BATCH_SIZES.stream()
                .flatMap(
                        sizes -> Stream.of(0, 1, 6, 7, 511, 512, 513, 999, 1000).map(bad -> Arguments.of(sizes, bad)));
    }

    private static void assertFinishedUpTo(int bad, TrackedSource<Integer> source) {
        source.assertProtocolKept();
        assertThat(IntStream.range(0, 1000).filter(source::isFinished).boxed()).isEqualTo(numbers(Math.min(bad, 1000)));
    }

    @ParameterizedTest
    @MethodSource("sizesAndBad")
    void recover_emitsAllBeforeTheFailureThenTheLastElement(int[] sizes, int bad) throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(1000, sizes);
        run(failingAt(bad, source.source()).recover(failure -> failure == planted ? -1 : -2));
        List<Integer> expected = new ArrayList<>(numbers(Math.min(bad, 1000)));
        if (bad < 1000) {
            expected.add(-1);
        }
        assertThat(seen).isEqualTo(expected);
        assertFinishedUpTo(bad, source);
    }

    @ParameterizedTest
    @MethodSource("sizesAndBad")
    void onErrorComplete_emitsAllBeforeTheFailureThenCompletes(int[] sizes, int bad) throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(1000, sizes);
        run(failingAt(bad, source.source()).onErrorComplete());
        assertThat(seen).isEqualTo(numbers(Math.min(bad, 1000)));
        assertFinishedUpTo(bad, source);
    }

    @ParameterizedTest
    @MethodSource("sizesAndBad")
    void recoverWith_goesOnWithTheOtherSource(int[] sizes, int bad) throws Exception {
        TrackedSource<Integer> first = TrackedSource.numbers(1000, sizes);
        TrackedSource<Integer> second = TrackedSource.numbers(1000, sizes);
        run(failingAt(bad, first.source())
                .recoverWith(1, failure -> second.source().async()));
        List<Integer> expected = new ArrayList<>(numbers(Math.min(bad, 1000)));
        assertFinishedUpTo(bad, first);
        if (bad < 1000) {
            expected.addAll(numbers(1000));
            second.assertAllFinished();
        }
        assertThat(seen).isEqualTo(expected);
    }

    @Test
    void recoverWith_afterItsLastAttempt_failsWithTheLastFailure() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        assertThatThrownBy(() -> run(failingAt(2, Source.of(0, 1, 2)).recoverWith(2, failure -> {
                    asked.incrementAndGet();
                    return failingAt(12, Source.of(10, 11, 12));
                })))
                .isSameAs(planted);
        assertThat(asked).hasValue(2);
        assertThat(seen).containsExactly(0, 1, 10, 11, 10, 11);
    }

    @Test
    void recoverWith_closesWhatFailedBeforeItStartsTheNext() throws Exception {
        List<String> events = new ArrayList<>();
        run(noting("first", events, planted).recoverWith(1, failure -> noting("second", events, null)));
        assertThat(events)
                .containsExactly(
                        "first created",
                        "first closed",
                        "second created",
                        "second closed",
                        "second terminated",
                        "first terminated");
    }

    private static Source<Integer> noting(String name, List<String> events, @Nullable RuntimeException failure) {
        return Source.custom(name, context -> {
            events.add(name + " created");
            context.onTermination(patience -> {
                events.add(name + " terminated");
                return "";
            });
            return new Stage<>() {
                @Override
                public @Nullable Batch<Integer> pull(long deadlineNanos) {
                    if (failure != null) {
                        throw failure;
                    }
                    return null;
                }

                @Override
                public void close() {
                    events.add(name + " closed");
                }
            };
        });
    }

    @Test
    void recoverWith_isStoppedWithThePipeline() throws Exception {
        TrackedSource<Integer> second = TrackedSource.numbers(10, 3).heldOpen();
        CountDownLatch flowing = new CountDownLatch(10);
        RunningPipeline running = failingAt(0, Source.of(0))
                .recoverWith(1, failure -> second.source())
                .to(Sink.forEach(n -> flowing.countDown()))
                .run();
        flowing.await();
        running.stop();
        assertThat(running.await().drained()).isTrue();
        second.assertAllFinished();
    }

    @Test
    void mapError_replacesTheFailure_alsoByACheckedOne() {
        IOException checked = new IOException("checked");
        assertThatThrownBy(() -> run(failingAt(1, Source.of(0, 1)).mapError(IllegalArgumentException::new)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasCause(planted);
        assertThatThrownBy(() -> run(failingAt(1, Source.of(0, 1)).mapError(failure -> checked)))
                .isInstanceOf(CompletionException.class)
                .hasCause(checked);
        assertThat(seen).containsExactly(0, 0);
    }

    @Test
    void functionThatThrows_failsWithItsOwnAndKeepsTheFirst() {
        IllegalArgumentException second = new IllegalArgumentException("in the remedy");
        List<UnaryOperator<Source<Integer>>> operators = List.of(
                source -> source.recover(failure -> {
                    throw second;
                }),
                source -> source.recoverWith(3, failure -> {
                    throw second;
                }),
                source -> source.onErrorComplete(failure -> {
                    throw second;
                }),
                source -> source.mapError(failure -> {
                    throw second;
                }));
        for (UnaryOperator<Source<Integer>> operator : operators) {
            assertThatThrownBy(() -> run(operator.apply(failingAt(0, Source.of(0)))))
                    .isSameAs(second)
                    .hasSuppressedException(planted);
        }
    }

    /** The failure must not also be suppressed, because it is already the cause of the exception. */
    @Test
    void functionThatWrapsTheFailure_doesNotSuppressItToo() {
        for (UnaryOperator<Source<Integer>> operator : List.<UnaryOperator<Source<Integer>>>of(
                source -> source.recover(failure -> {
                    throw new IllegalArgumentException(failure);
                }),
                source -> source.recoverWith(2, failure -> {
                    throw new IllegalArgumentException(failure);
                }))) {
            assertThatThrownBy(() -> run(operator.apply(failingAt(0, Source.of(0)))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasCause(planted)
                    .hasNoSuppressedExceptions();
        }
    }

    @Test
    void failure_fromTheSegmentAbove_isRecoveredFromToo() throws Exception {
        run(failingAt(700, Source.from(numbers(1000))).async().recover(failure -> -1));
        run(failingAt(700, Source.from(numbers(1000))).mapParallel(2, n -> n).recover(failure -> -1));
        run(Source.from(numbers(1000))
                .mapParallel(2, n -> {
                    if (n >= 700) {
                        throw planted;
                    }
                    return n;
                })
                .recover(failure -> -1));
        List<Integer> once = new ArrayList<>(numbers(700));
        once.add(-1);
        List<Integer> expected = new ArrayList<>(once);
        expected.addAll(once);
        expected.addAll(once);
        assertThat(seen).isEqualTo(expected);
    }

    @Test
    void cancellation_andFaultsOfTheMachine_areNotRecoveredFrom() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        List<UnaryOperator<Source<Integer>>> operators = List.of(
                source -> source.recover(failure -> asked.incrementAndGet()),
                source -> source.recoverWith(3, failure -> Source.of(asked.incrementAndGet())),
                source -> source.onErrorComplete(failure -> asked.incrementAndGet() > 0),
                source -> source.restarted(RestartSettings.of(Backoff.NONE)),
                source -> source.mapError(failure -> new IllegalStateException("call " + asked.incrementAndGet())));
        for (UnaryOperator<Source<Integer>> operator : operators) {
            CountDownLatch inside = new CountDownLatch(1);
            RunningPipeline running = operator.apply(Source.of(1).map(n -> wrapTheInterrupt(inside)))
                    .to(Sink.ignore())
                    .run();
            inside.await();
            running.cancel();
            assertThatThrownBy(running::await).isInstanceOf(CancellationException.class);

            InternalError fatal = new InternalError("planted");
            assertThatThrownBy(() -> run(operator.apply(Source.of(1).map(n -> {
                        throw fatal;
                    }))))
                    .isSameAs(fatal);
        }
        assertThat(asked).hasValue(0);
    }

    /** Wraps an interrupt in another exception, like some clients do. */
    static int wrapTheInterrupt(CountDownLatch inside) {
        try {
            inside.countDown();
            new CountDownLatch(1).await();
            return 0;
        } catch (InterruptedException e) {
            throw new IllegalStateException("disguised", e);
        }
    }

    @Test
    void elementInHandAtACancellation_isNotSkipped_howeverItsFunctionFails() throws Exception {
        List<UnaryOperator<Source<Integer>>> operators = List.of(
                source -> source.map(n -> wrapTheInterrupt(inHand)),
                source -> source.filter(n -> wrapTheInterrupt(inHand) > 0),
                source -> source.mapConcat(n -> List.of(wrapTheInterrupt(inHand))),
                source -> source.mapConcat(
                        n -> () -> List.of(wrapTheInterrupt(inHand)).iterator()),
                source -> source.mapParallel(2, n -> wrapTheInterrupt(inHand)),
                source -> source.mapBlocking(2, Ordering.unordered(), n -> wrapTheInterrupt(inHand)));
        for (UnaryOperator<Source<Integer>> operator : operators) {
            inHand = new CountDownLatch(1);
            TrackedSource<Integer> source = TrackedSource.numbers(1, 1);
            RunningPipeline running = operator.apply(source.source())
                    .supervised(Supervision.retry(RetryPolicy.of(3, Backoff.NONE), Supervision.skip()))
                    .to(Sink.ignore())
                    .run();
            inHand.await();
            running.cancel();
            assertThatThrownBy(running::await).isInstanceOf(CancellationException.class);
            source.assertProtocolKept();
            assertThat(source.isFinished(0)).isFalse();
        }
    }

    private volatile CountDownLatch inHand = new CountDownLatch(1);
}
