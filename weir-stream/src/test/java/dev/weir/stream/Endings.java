package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs a chain of steps to each possible ending of a pipeline, and checks the lineage of its inputs. Stateless. */
final class Endings {

    static final List<int[]> BATCH_SIZES =
            List.of(new int[] {1}, new int[] {2}, new int[] {7}, new int[] {512}, new int[] {0, 1, 512, 0, 0, 7, 33});

    private Endings() {}

    /** Returns an action that runs {@code then} at the given call of user code. */
    static Runnable at(int call, Runnable then) {
        AtomicInteger calls = new AtomicInteger();
        return () -> {
            if (calls.incrementAndGet() == call) {
                then.run();
            }
        };
    }

    static void normal(List<Step> chain, int inputs, int... batchSizes) throws Exception {
        TrackedRun run = new TrackedRun(chain, inputs, batchSizes);
        try (RunningPipeline running = run.start(() -> {})) {
            assertThat(running.await().drained()).isTrue();
            assertThat(running.stages()).allMatch(stage -> stage.depth() == 0);
        }
        run.assertAsModelled();
    }

    static void failing(List<Step> chain, int inputs, int atCall, int... batchSizes) {
        TrackedRun run = new TrackedRun(chain, inputs, batchSizes);
        IllegalStateException planted = new IllegalStateException("planted");
        RunningPipeline running = run.start(at(atCall, () -> {
            throw planted;
        }));
        TrackedRun.awaitEnd(running);
        run.assertNothingLost();
        if (running.completion().isCompletedExceptionally()) {
            assertThatThrownBy(running::await).isSameAs(planted);
        } else {
            // The chosen call never happened.
            run.assertSeenAsModelled();
        }
    }

    static void cancelled(List<Step> chain, int inputs, int atCall, int... batchSizes) {
        TrackedRun run = new TrackedRun(chain, inputs, batchSizes);
        CompletableFuture<RunningPipeline> handle = new CompletableFuture<>();
        handle.complete(run.start(at(atCall, () -> handle.join().cancel())));
        TrackedRun.awaitEnd(handle.join());
        run.assertNothingLost();
        if (handle.join().completion().isCompletedExceptionally()) {
            assertThatThrownBy(handle.join()::await).isInstanceOf(CancellationException.class);
        } else {
            run.assertSeenAsModelled();
        }
    }

    static void stoppedBySink(List<Step> chain, int inputs, int afterElements, int... batchSizes) throws Exception {
        TrackedRun run = new TrackedRun(chain, inputs, batchSizes);
        try (RunningPipeline running = run.startUntil(afterElements)) {
            running.await();
        }
        run.assertNothingLost();
    }

    static void drained(List<Step> chain, int inputs, int atCall, int... batchSizes) throws Exception {
        TrackedRun run = new TrackedRun(chain, inputs, batchSizes);
        CompletableFuture<RunningPipeline> handle = new CompletableFuture<>();
        // Stops at the chosen call, or when all inputs are used.
        run.source.heldOpen(() -> handle.join().stop());
        handle.complete(run.start(at(atCall, () -> handle.join().stop())));
        try (RunningPipeline running = handle.join()) {
            assertThat(running.await().drained()).isTrue();
        }
        run.assertNothingLost();
        assertThat(run.source.finishedCount()).isEqualTo(run.source.pulled());
    }
}
