package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.internal.ack.JointAck;
import dev.weir.stream.internal.ack.TakenElements;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ResourceBundle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests unusual throwables. A stack overflow in a function fails its element only. An exception whose own methods throw
 * fails the run.
 */
class UnusualThrowablesTest {

    private static final Attributes SKIPPING = Attributes.NONE.withSupervision(Supervision.skip());
    private static final Attributes RETRYING_TO_FAIL =
            Attributes.NONE.withSupervision(Supervision.retry(RetryPolicy.of(2, Backoff.NONE), Supervision.fail()));
    private static final Attributes RETRYING = Attributes.NONE.withSupervision(Supervision.retry(
            RetryPolicy.of(2, Backoff.between(Duration.ofNanos(1), Duration.ofNanos(1))), Supervision.skip()));

    @FunctionalInterface
    interface Work {
        int of(int element);
    }

    @FunctionalInterface
    interface Stages {
        Source<Integer> on(Source<Integer> source, Work work);
    }

    @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
    enum Operator {
        MAP((s, work) -> s.map(work::of)),
        FILTER((s, work) -> s.filter(n -> work.of(n) >= 0)),
        MAP_CONCAT((s, work) -> s.mapConcat(n -> List.of(work.of(n)))),
        SCAN((s, work) -> s.statefulMap(() -> "", (state, n) -> work.of(n))),
        MAP_BLOCKING((s, work) -> s.mapBlocking(3, Ordering.input(), work::of)),
        MAP_PARALLEL((s, work) -> s.mapParallel(2, work::of)),
        MAP_ASYNC((s, work) -> s.mapAsync(2, Ordering.input(), n -> CompletableFuture.completedFuture(work.of(n)))),
        MAP_ASYNC_LATER(
                (s, work) -> s.mapAsync(2, Ordering.input(), n -> CompletableFuture.supplyAsync(() -> work.of(n)))),
        FOR_EACH_KEY((s, work) -> s.groupBy(n -> work.of(n) % 2, 2, key -> key)),
        THROTTLE((s, work) -> s.throttle(1_000_000, Duration.ofMillis(1), 1_000_000, work::of, ThrottleMode.SHAPING));

        final Stages stages;

        Operator(Stages stages) {
            this.stages = stages;
        }
    }

    private static int endlessly(int n) {
        return n < 0 ? 0 : 1 + endlessly(n + 1 - n % 2);
    }

    /** An exception whose methods throw. */
    private static final class Hostile extends RuntimeException {

        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new UnsupportedOperationException("no message");
        }

        @Override
        public synchronized Throwable getCause() {
            throw new UnsupportedOperationException("no cause");
        }
    }

    private static int overflowingAt3(int n) {
        return n == 3 ? endlessly(n) : n;
    }

    private static List<Integer> run(Source<Integer> source) throws InterruptedException {
        List<Integer> seen = new CopyOnWriteArrayList<>();
        try (RunningPipeline running =
                source.to(Sink.forEach(seen::add)).named("unusual").run()) {
            running.await();
        }
        return seen.stream().sorted().toList();
    }

    @ParameterizedTest
    @EnumSource
    void stackOverflow_inAFunction_isDecidedOnByTheSupervision(Operator operator) throws Exception {
        for (Attributes attributes : List.of(SKIPPING, RETRYING)) {
            TrackedSource<Integer> source = TrackedSource.numbers(6, 6);
            assertThat(run(operator.stages
                            .on(source.source(), UnusualThrowablesTest::overflowingAt3)
                            .with(attributes)))
                    .containsExactly(0, 1, 2, 4, 5);
            source.assertAllFinished();
        }
    }

    @ParameterizedTest
    @EnumSource
    void stackOverflow_withoutSupervision_failsTheRun(Operator operator) {
        assertThatThrownBy(() -> run(operator.stages.on(Source.of(1, 3), UnusualThrowablesTest::overflowingAt3)))
                .isInstanceOf(StackOverflowError.class);
    }

    @Test
    void otherErrorsOfTheJvm_areNeverSkipped() {
        assertThatThrownBy(() -> run(Source.of(1, 3)
                        .map(n -> {
                            throw new OutOfMemoryError("planted");
                        })
                        .map(n -> 1)
                        .with(SKIPPING)))
                .isInstanceOf(OutOfMemoryError.class);
    }

    @ParameterizedTest
    @EnumSource
    void exceptionWhoseMethodsThrow_isTheFailureOfTheRun(Operator operator) throws Exception {
        Hostile hostile = new Hostile();
        Source<Integer> failing = operator.stages.on(Source.of(1, 3), n -> {
            throw hostile;
        });
        for (Source<Integer> source : List.of(failing, failing.with(RETRYING_TO_FAIL))) {
            List<StreamEnd> ends = new ArrayList<>();
            try (RunningPipeline running =
                    source.watch(ends::add).to(Sink.ignore()).named("unusual").run()) {
                AtomicReference<Throwable> told = new AtomicReference<>();
                running.completion()
                        .handle((report, failure) -> {
                            told.set(failure);
                            return true;
                        })
                        .get(20, TimeUnit.SECONDS);
                // A stage that depends on the future gets its failure wrapped.
                assertThat(told.get().getCause() == hostile).isTrue();
                assertThat(thrownBy(running) == hostile).isTrue();
                assertThat(running.drain(Duration.ZERO).drained()).isFalse();
            }
        }
    }

    private static Throwable thrownBy(RunningPipeline running) throws InterruptedException {
        try {
            running.await();
            return new AssertionError("has not failed");
        } catch (Hostile thrown) {
            return thrown;
        }
    }

    /** The wrapper of a future's failure, with methods that throw. */
    private static final class HostileWrapper extends CompletionException {

        private static final long serialVersionUID = 1;

        @Override
        public synchronized Throwable getCause() {
            throw new UnsupportedOperationException("no cause");
        }
    }

    @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
    enum Asynchronous {
        MAP_ASYNC(answers -> Source.of(1).mapAsync(1, n -> answers.get())),
        MAP_ASYNC_RETRIED(
                answers -> Source.of(1).mapAsync(1, n -> answers.get()).with(RETRYING_TO_FAIL)),
        SCAN_ASYNC(answers -> Source.of(1).scanAsync(0, (sum, n) -> answers.get())),
        UNFOLD_ASYNC(answers -> Source.unfoldAsync(0, n -> answers.get().thenApply(given -> Optional.empty())));

        final Function<Supplier<CompletableFuture<Integer>>, Source<Integer>> asking;

        Asynchronous(Function<Supplier<CompletableFuture<Integer>>, Source<Integer>> asking) {
            this.asking = asking;
        }
    }

    /** Regression: the element stayed pending forever. */
    @ParameterizedTest
    @EnumSource
    void wrapperWhoseMethodsThrow_isTheFailureOfTheRun(Asynchronous operator) {
        for (boolean later : new boolean[] {false, true}) {
            HostileWrapper hostile = new HostileWrapper();
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            Supplier<CompletableFuture<Integer>> answers = () -> {
                if (!later) {
                    answer.completeExceptionally(hostile);
                } else {
                    Thread.ofVirtual().start(() -> answer.completeExceptionally(hostile));
                }
                return answer;
            };
            assertThatThrownBy(() -> run(operator.asking.apply(answers))).matches(failure -> failure == hostile);
        }
    }

    @Test
    void resultOfASink_afterAnExceptionWhoseMethodsThrow_failsWithThat() throws Exception {
        Hostile hostile = new Hostile();
        ResultSink<Integer, List<Integer>> all = Sink.toList();
        try (RunningPipeline running = Source.of(1)
                .map(n -> {
                    if (n == 1) {
                        throw hostile;
                    }
                    return n;
                })
                .to(all)
                .named("unusual")
                .run()) {
            Throwable told =
                    running.result(all).handle((result, failure) -> failure).get(20, TimeUnit.SECONDS);
            assertThat(told.getCause() == hostile).isTrue();
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** A logger that throws. */
    private static final class HostileLogger implements System.Logger {

        @Override
        public String getName() {
            return "hostile";
        }

        @Override
        public boolean isLoggable(Level level) {
            throw new IllegalStateException("no level");
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String text, Throwable failure) {
            throw new IllegalStateException("no log");
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String text, Object... values) {}
    }

    /** Regression: the elements of the batch stayed pending after the failure of the run. */
    @Test
    void loggerThatThrows_failsForAnElement_whichSupervisionDecidesOn() throws Exception {
        TrackedSource<Integer> failing = TrackedSource.numbers(6, 3);
        assertThatThrownBy(() -> run(failing.source().log(new HostileLogger(), System.Logger.Level.INFO)))
                .hasMessage("no level");
        assertThat(failing.waitedFor()).isEmpty();
        failing.assertProtocolKept();
        TrackedSource<Integer> skipping = TrackedSource.numbers(6, 3);
        assertThat(run(skipping.source()
                        .log(new HostileLogger(), System.Logger.Level.INFO)
                        .with(SKIPPING)))
                .isEmpty();
        skipping.assertAllFinished();
    }

    @Test
    void loggerThatCannotLogAFailure_doesNotReplaceIt() {
        assertThatThrownBy(() -> run(Source.<Integer>failed(new IllegalArgumentException("planted"))
                        .log(new HostileLogger(), System.Logger.Level.INFO)))
                .hasMessage("planted")
                .satisfies(failure -> assertThat(failure.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .contains("no log"));
    }

    /** A target whose methods throw, as a user's span processor may. */
    private static final class Throwing implements AckTarget {

        private final Function<String, RuntimeException> thrown;
        private final List<String> calls = new ArrayList<>();

        Throwing(Function<String, RuntimeException> thrown) {
            this.thrown = thrown;
        }

        private void call(String call) {
            calls.add(call);
            throw thrown.apply("cannot " + call);
        }

        @Override
        public void ack(long token) {
            call("ack " + token);
        }

        @Override
        public void forgo(long token) {
            call("forgo " + token);
        }

        @Override
        public void abandon(long token) {
            call("abandon " + token);
        }

        @Override
        public boolean dropIfRevoked(long token) {
            call("drop " + token);
            return true;
        }

        @Override
        public void retain(long token, int more) {}
    }

    @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
    enum Ending {
        ABANDON(Batch::abandonAll, "abandon 0", "abandon 1", "abandon 2", "abandon 3"),
        ABANDON_ALL_BUT(batch -> batch.abandonAllBut(1, 2), "abandon 0", "abandon 2", "abandon 3"),
        ACK(Batch::ackAll, "ack 0", "ack 1", "ack 2", "ack 3"),
        FORGO(batch -> batch.forgoFrom(1), "forgo 1", "forgo 2", "forgo 3"),
        DROP(Batch::dropAllRevoked, "drop 0", "drop 1", "drop 2", "drop 3"),
        ACK_JOINT(batch -> joint(batch).ack(0), "ack 0", "ack 1", "ack 2", "ack 3"),
        FORGO_JOINT(batch -> joint(batch).forgo(0), "forgo 0", "forgo 1", "forgo 2", "forgo 3"),
        ABANDON_JOINT(batch -> joint(batch).abandon(0), "abandon 0", "abandon 1", "abandon 2", "abandon 3"),
        ABANDON_TAKEN(
                batch -> {
                    TakenElements taken = new TakenElements();
                    var ignored = taken.take(batch);
                    taken.abandonAll();
                },
                "abandon 0",
                "abandon 1",
                "abandon 2",
                "abandon 3");

        private final Consumer<Batch<Integer>> end;
        private final List<String> calls;

        Ending(Consumer<Batch<Integer>> end, String... calls) {
            this.end = end;
            this.calls = List.of(calls);
        }

        private static JointAck joint(Batch<Integer> batch) {
            JointAck joint = new JointAck(batch.size());
            for (int i = 0; i < batch.size(); i++) {
                joint.add(batch.target(i), batch.token(i));
            }
            return joint;
        }
    }

    private static Batch<Integer> batchOf(int elements, AckTarget target) {
        Batch<Integer> batch = new Batch<>(elements);
        for (int i = 0; i < elements; i++) {
            batch.add(i, target, i);
        }
        return batch;
    }

    /** Regression: after a target threw, a closing source waited for the later elements until its deadline. */
    @ParameterizedTest
    @EnumSource
    void batch_whoseTargetThrows_endsTheOtherElements(Ending ending) {
        Throwing target = new Throwing(IllegalStateException::new);
        Batch<Integer> batch = batchOf(4, target);
        assertThatThrownBy(() -> ending.end.accept(batch))
                .hasMessage("cannot " + ending.calls.getFirst())
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(ending.calls.size() - 1));
        assertThat(target.calls).containsExactlyElementsOf(ending.calls);
    }

    /** Regression: many targets that throw overflowed the stack. */
    @ParameterizedTest
    @EnumSource(names = {"ABANDON", "ACK", "FORGO", "DROP"})
    void batch_ofManyElements_whoseTargetsThrow_endsAll(Ending ending) {
        IllegalStateException planted = new IllegalStateException("planted");
        Throwing target = new Throwing(call -> planted);
        Batch<Integer> batch = batchOf(100_001, target);
        assertThatThrownBy(() -> ending.end.accept(batch)).isSameAs(planted);
        assertThat(target.calls).endsWith(ending.name().toLowerCase(Locale.ROOT) + " 100000");
    }

    @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
    enum Dropping {
        DROP(source -> source.drop(2), "ack 0", "ack 1", "abandon 2", "abandon 3"),
        DEBOUNCE(source -> source.debounce(Duration.ofDays(1)), "ack 0", "ack 1", "ack 2", "abandon 3");

        private final UnaryOperator<Source<Integer>> operator;
        private final List<String> calls;

        Dropping(UnaryOperator<Source<Integer>> operator, String... calls) {
            this.operator = operator;
            this.calls = List.of(calls);
        }
    }

    /** Regression: after a target threw, the later elements stayed pending. */
    @ParameterizedTest
    @EnumSource
    void operator_whoseElementsHaveATargetThatThrows_endsEachOnce(Dropping kind) {
        Throwing target = new Throwing(IllegalStateException::new);
        Source<Integer> four = Source.custom("four", context -> new Stage<Integer>() {

            private boolean ended;

            @Override
            public @Nullable Batch<Integer> pull(long deadlineNanos) {
                Batch<Integer> next = ended ? null : batchOf(4, target);
                ended = true;
                return next;
            }

            @Override
            public void close() {}
        });
        assertThatThrownBy(() -> run(kind.operator.apply(four))).hasMessageStartingWith("cannot ");
        assertThat(target.calls).containsExactlyElementsOf(kind.calls);
    }

    @Test
    void retryPolicy_onWhatIsNeverRetried_isRefused() {
        for (Class<? extends Throwable> type :
                List.of(OutOfMemoryError.class, NoClassDefFoundError.class, InterruptedException.class)) {
            assertThatThrownBy(() -> RetryPolicy.of(2, Backoff.NONE).on(type))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a retry on " + type.getSimpleName() + " can have no effect");
        }
        assertThat(RetryPolicy.of(2, Backoff.NONE).on(StackOverflowError.class).attempts())
                .isEqualTo(2);
    }

    /** Regression: the run failed with an IllegalArgumentException instead of the failure. */
    @Test
    void mapError_whoseFunctionThrowsTheFailure_failsTheRunWithIt() {
        IllegalStateException planted = new IllegalStateException("planted");
        RunningPipeline running = Source.<Integer>failed(planted)
                .mapError(failure -> {
                    throw (IllegalStateException) failure;
                })
                .to(Sink.ignore())
                .run();
        assertThatThrownBy(running::await).isSameAs(planted);
    }

    /** Regression: the last input stayed open, and the run failed with another exception. */
    @Test
    void inputs_whoseEndsThrowTheSameInstance_areAllEndedAndFailTheRunWithIt() {
        IllegalStateException planted = new IllegalStateException("planted");
        List<Integer> told = new CopyOnWriteArrayList<>();
        RunningPipeline running = told(told, 1, planted)
                .concat(told(told, 2, planted), told(told, 3, planted))
                .take(1)
                .to(Sink.ignore())
                .run();
        assertThatThrownBy(running::await).isSameAs(planted);
        assertThat(told).containsExactlyInAnyOrder(1, 2, 3);
    }

    private static Source<Integer> told(List<Integer> told, int input, RuntimeException thrown) {
        return Source.of(1, 2).watch(end -> {
            told.add(input);
            throw thrown;
        });
    }
}
