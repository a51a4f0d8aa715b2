package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.BatchPool;
import dev.weir.stream.spi.Stage;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Tests that batches reuse their arrays without mixing their elements, and that fused chains allocate nothing per
 * element.
 */
class BatchReuseTest {

    private static final AckTarget TARGET = new AckTarget() {
        @Override
        public void ack(long token) {}

        @Override
        public void retain(long token, int claims) {}
    };

    private final BatchPool pool = new BatchPool(4);

    @Test
    void batch_releasedElsewhere_isEmptyAndKeepsAwayFromWhoHasItsArraysNow() throws Exception {
        Batch<String> old = pool.take();
        old.add("old", TARGET, 7);
        onAnotherThread(old::release);
        Batch<String> current = pool.take();
        current.add("current", TARGET, 8);

        assertThat(current).isNotSameAs(old);
        assertThat(old.size()).isZero();
        assertThatThrownBy(() -> old.get(0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> old.set(0, "late")).isInstanceOf(IndexOutOfBoundsException.class);
        old.add("late", TARGET, 9);
        old.release();
        old.release();
        Batch<String> third = pool.take();
        third.add("third");

        assertThat(current.get(0)).isEqualTo("current");
        assertThat(current.token(0)).isEqualTo(8);
        assertThat(current.target(0)).isSameAs(TARGET);
        assertThat(third.get(0)).isEqualTo("third");
        assertThat(third.target(0)).isSameAs(AckTarget.NONE);
    }

    @Test
    void batch_releasedWhereItWasTaken_isEmptyUntilItIsTakenAgain() {
        Batch<String> batch = pool.take();
        batch.add("old", TARGET, 7);
        batch.release();
        assertThat(batch.isEmpty()).isTrue();
        assertThatThrownBy(() -> batch.get(0)).isInstanceOf(IndexOutOfBoundsException.class);
        batch.add("late", TARGET, 9);
        batch.release();

        Batch<String> again = pool.take();
        assertThat(again).isSameAs(batch);
        assertThat(again.isEmpty()).isTrue();
        Batch<String> other = pool.take();
        assertThat(other).isNotSameAs(batch);
        again.add("again");
        other.add("other");
        assertThat(again.get(0)).isEqualTo("again");
        assertThat(again.target(0)).isSameAs(AckTarget.NONE);
    }

    @Test
    void batches_thatACollectionHasMet_areNotTakenAgain() throws Exception {
        Batch<String> own = pool.take();
        Batch<String> elsewhere = pool.take();
        Object[] arraysBefore = {own, elsewhere};
        onAnotherThread(elsewhere::release);
        own.release();
        WeakReference<Object> collected = new WeakReference<>(new Object());
        while (!collected.refersTo(null)) {
            System.gc();
        }
        assertThat(pool.<String>take()).isNotIn(arraysBefore);
    }

    private static void onAnotherThread(Runnable task) throws InterruptedException {
        Thread.ofVirtual().start(task).join();
    }

    @Test
    void batch_takenAgain_holdsNothingOfTheOneBefore() {
        Batch<String> old = pool.take();
        for (int i = 0; i < 4; i++) {
            old.add("old", i % 2 == 0 ? TARGET : AckTarget.NONE, i + 1);
        }
        old.truncate(3);
        old.release();
        Batch<String> current = pool.take();
        assertThat(current.isEmpty()).isTrue();
        current.add("a");
        current.add("b", TARGET, 5);
        assertThat(current.token(0)).isZero();
        assertThat(current.target(0)).isSameAs(AckTarget.NONE);
        assertThat(current.token(1)).isEqualTo(5);
        assertThat(current.get(2)).isNull();
        assertThat(current.get(3)).isNull();
    }

    @Test
    void batch_thatHasGrown_isNotKept() {
        Batch<Integer> grown = pool.take();
        IntStream.range(0, 100).forEach(grown::add);
        grown.release();
        assertThat(grown.isEmpty()).isTrue();
        assertThat(pool.<Integer>take().isEmpty()).isTrue();
    }

    @Test
    void fusedChain_inTheLongRun_allocatesNothing() throws Exception {
        Source<String> source = Source.repeat("element");
        for (int i = 0; i < 5; i++) {
            source = source.map(element -> element).filter(element -> !element.isEmpty());
        }
        source = source.tap(element -> {}).filterNot(String::isEmpty);
        // The limit allows for 2 KB of arrays that a garbage collection discards, but not for a new Batch per batch,
        // which would add 0.08 bytes per element.
        assertThat(bytesPerElement(source)).isLessThan(0.01);
    }

    @Test
    void batches_releasedBelowABoundary_goBackToTheSourceAbove() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] seen = new long[1];
        long[] allocatedBytes = new long[2];
        try (Dispatcher platform = Dispatcher.single("measured")) {
            Source<String> upper = Source.repeat("element").take(6_000_000).tap(element -> {
                if (seen[0]++ % 4_000_000 == 1_000_000) {
                    allocatedBytes[(int) (seen[0] / 4_000_000)] = threads.getCurrentThreadAllocatedBytes();
                }
            });
            assertThat(upper.async(platform, 1024).runTo(Sink.count())).isEqualTo(6_000_000);
        }
        // The limit allows for the boundary's lock, which allocates memory when a thread waits for it.
        assertThat((allocatedBytes[1] - allocatedBytes[0]) / 4e6)
                .as("bytes per element in the upper segment")
                .isLessThan(1.5);
    }

    /** Returns the bytes per element that the sink's thread allocates after a warm-up. */
    private static double bytesPerElement(Source<String> source) throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        double[] perElement = new double[1];
        try (Dispatcher platform = Dispatcher.single("measured");
                RunningPipeline running = source.take(6_000_000)
                        .to(Sink.<String>custom("measuring", context -> upstream -> {
                                    int elements = pull(upstream, 4_000_000);
                                    long before = threads.getCurrentThreadAllocatedBytes();
                                    elements = pull(upstream, 1_000_000);
                                    perElement[0] =
                                            (double) (threads.getCurrentThreadAllocatedBytes() - before) / elements;
                                })
                                .with(Attributes.NONE.withDispatcher(platform)))
                        .run()) {
            running.await();
        }
        return perElement[0];
    }

    private static int pull(Stage<String> upstream, int atLeast) throws InterruptedException {
        int elements = 0;
        while (elements < atLeast) {
            Batch<String> batch = upstream.pull(Stage.NEVER);
            if (batch == null) {
                throw new AssertionError("the stream ended");
            }
            elements += batch.size();
            batch.release();
        }
        return elements;
    }
}
