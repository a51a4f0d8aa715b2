package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.control.StageControl;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Tests the calls of scanAsync and foldAsync, and answers that fail, arrive late or never arrive. */
class AsyncFoldTest {

    private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
    private final BlockingQueue<CompletableFuture<Integer>> answers = new LinkedBlockingQueue<>();
    private final BlockingQueue<Integer> seen = new LinkedBlockingQueue<>();

    /** Records the call. The test completes the answer. */
    private CompletableFuture<Integer> asked(int combined, int n) {
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        answers.add(answer);
        calls.add(combined + " and " + n);
        return answer;
    }

    @Test
    void scanAsync_callsOnlyWithTheAnswerBefore_andEmitsEachAtOnce() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(3, 3);
        try (RunningPipeline running = source.source()
                .scanAsync(-1, this::asked)
                .to(Sink.forEach(seen::add))
                .run()) {
            assertThat(calls.take()).isEqualTo("-1 and 0");
            assertThat(seen.take()).isEqualTo(-1);
            assertThat(calls).isEmpty();
            answers.take().complete(10);
            assertThat(calls.take()).isEqualTo("10 and 1");
            assertThat(seen.take()).isEqualTo(10);
            answers.take().complete(20);
            assertThat(calls.take()).isEqualTo("20 and 2");
            answers.take().complete(30);
            running.await();
        }
        assertThat(seen).containsExactly(20, 30);
        source.assertAllFinished();
    }

    /** Regression: after a user raised the parallelism of the stage, one of its results was lost. */
    @Test
    void parallelism_cannotBeRaised() throws Exception {
        try (RunningPipeline running = Source.of(1, 2, 3)
                .scanAsync(0, this::asked)
                .foldAsync(0, this::asked)
                .to(Sink.ignore())
                .run()) {
            assertThat(running.handles(StageControl.class)).isEmpty();
            running.cancel();
        }
    }

    @Test
    void futureThatRuns_whenThePipelineIsCancelled_isCancelled() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(3, 3);
        RunningPipeline running = source.source()
                .foldAsync(0, this::asked)
                .to(Sink.forEach(seen::add))
                .run();
        CompletableFuture<Integer> answer = answers.take();
        running.cancel();
        assertThatThrownBy(running::await).isInstanceOf(CancellationException.class);
        assertThat(answer).isCancelled();
        assertThat(seen).isEmpty();
        source.assertProtocolKept();
        assertThat(source.finishedCount()).isZero();
    }

    @Test
    void answerThatFails_ifRetried_isAskedForWithTheSameAgain() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        assertThat(Source.of(1, 2, 3)
                        .scanAsync(
                                0,
                                (sum, n) -> failures.getAndIncrement() % 2 == 0
                                        ? CompletableFuture.failedFuture(new IllegalStateException("not yet"))
                                        : CompletableFuture.completedFuture(sum + n))
                        .supervised(Supervision.retry(RetryPolicy.of(2, Backoff.NONE), Supervision.fail()))
                        .toList())
                .containsExactly(0, 1, 3, 6);
    }

    @Test
    void foldAsync_restartedAtTheLastElement_emitsTheInitial() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(7, 2);
        assertThat(source.source()
                        .foldAsync(0, (sum, n) -> {
                            if (n == 6) {
                                throw new IllegalStateException("at the last");
                            }
                            return CompletableFuture.completedFuture(sum + n);
                        })
                        .supervised(Supervision.of(failure -> Supervision.Decision.RESTART))
                        .toList())
                .containsExactly(0);
        source.assertAllFinished();
    }

    @Test
    @SuppressWarnings("NullAway") // the point of the test
    void nothingForAnAnswer_failsWithTheNameOfTheOperator() {
        BiFunction<Integer, Integer, CompletableFuture<Integer>> noStage = (sum, n) -> null;
        BiFunction<Integer, Integer, CompletableFuture<Integer>> noValue =
                (sum, n) -> CompletableFuture.completedFuture(null);
        assertThatThrownBy(Source.of(1).scanAsync(0, noStage)::toList)
                .hasMessage("the function of scanAsync returned null, not a stage");
        assertThatThrownBy(Source.of(1).foldAsync(0, noValue)::toList)
                .hasMessage("a stage of foldAsync completed with null");
    }

    /** All groups share a thread. A group that waits for its answer must not block this thread. */
    @Test
    void groups_waitForTheirAnswersSideBySide() throws Exception {
        CompletableFuture<Integer> all = new CompletableFuture<>();
        AtomicInteger asked = new AtomicInteger();
        List<Integer> sums = new ArrayList<>();
        try (RunningPipeline running = Source.of(1, 2, 3)
                .groupBy(
                        n -> n,
                        3,
                        group -> group.foldAsync(0, (sum, n) -> {
                            if (asked.incrementAndGet() == 3) {
                                all.complete(7);
                            }
                            return all;
                        }))
                .to(Sink.forEach(sums::add))
                .run()) {
            running.await();
        }
        assertThat(sums).containsExactly(7, 7, 7);
    }
}
