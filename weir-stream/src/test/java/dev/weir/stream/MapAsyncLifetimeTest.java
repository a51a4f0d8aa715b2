package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that {@code mapAsync} leaves no element, function or future behind while the run's handle is kept. */
class MapAsyncLifetimeTest {

    private static final int INPUTS = 500;
    private static final int PARALLELISM = 16;

    private final ConcurrentLinkedQueue<WeakReference<Object>> left = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<CompletableFuture<Object>> kept = new ConcurrentLinkedQueue<>();

    /** Starts a run. Then only the run refers to the elements and the function. */
    private RunningPipeline start(boolean ordered, Function<Object, CompletableFuture<Object>> answer) {
        List<Object> objects =
                IntStream.range(0, INPUTS).mapToObj(n -> new Object()).toList();
        objects.forEach(this::note);
        Function<Object, CompletableFuture<Object>> function = object -> answer.apply(object);
        note(function);
        Ordering<Object> ordering = ordered ? Ordering.input() : Ordering.byKey(object -> object);
        return Source.from(new ArrayList<>(objects))
                .mapAsync(PARALLELISM, ordering, function)
                .to(Sink.ignore())
                .named("mapAsyncLife")
                .run();
    }

    private void note(Object object) {
        left.add(new WeakReference<>(object));
    }

    private void assertAllCollected(int expected) {
        ThreadCensus.assertNoneLeft("mapAsyncLife");
        for (int i = 0; i < 50 && left.stream().anyMatch(reference -> reference.get() != null); i++) {
            System.gc();
        }
        assertThat(left).hasSize(expected).allMatch(reference -> reference.get() == null);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void run_thatEnded_keepsNothing(boolean ordered) throws Exception {
        RunningPipeline ended = start(ordered, object -> {
            CompletableFuture<Object> future = CompletableFuture.supplyAsync(() -> object);
            note(future);
            return future;
        });
        ended.await();
        assertAllCollected(2 * INPUTS + 1);
        assertThat(ended.name()).isEqualTo("mapAsyncLife");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void run_thatWasCancelled_isNotKeptByFuturesThatNeverComplete(boolean ordered) throws Exception {
        CountDownLatch full = new CountDownLatch(PARALLELISM);
        RunningPipeline cancelled = start(ordered, object -> {
            CompletableFuture<Object> never = new Stubborn();
            kept.add(never);
            full.countDown();
            return never;
        });
        full.await();
        cancelled.cancel();
        TrackedRun.awaitEnd(cancelled);
        assertAllCollected(INPUTS + 1);
        assertThat(kept).hasSize(PARALLELISM);
    }

    /** A future that never completes. */
    private static final class Stubborn extends CompletableFuture<Object> {

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return false;
        }
    }
}
