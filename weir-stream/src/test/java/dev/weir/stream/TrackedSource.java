package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A source for one run. It records every input's pending acknowledgements and end, and each violation of the protocol.
 * Thread-safe after its configuration.
 *
 * <p>A token is the index of its input. Make assertions after the run.
 */
final class TrackedSource<T> implements AckTarget {

    private final List<T> inputs;
    private final int[] batchSizes;
    private final AtomicIntegerArray claims;
    private final Queue<String> breaches = new ConcurrentLinkedQueue<>();
    /** Inputs that will be read again, because one of their acknowledgements was forgone or abandoned. */
    private final Set<Integer> dropped = ConcurrentHashMap.newKeySet();

    private final AtomicInteger pulled = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private final AtomicInteger created = new AtomicInteger();
    private final CountDownLatch stop = new CountDownLatch(1);

    private IntPredicate mayFinish = index -> true;
    private boolean heldOpen;
    private Runnable whenExhausted = () -> {};

    private TrackedSource(List<T> inputs, int[] batchSizes) {
        this.inputs = inputs;
        this.batchSizes = batchSizes;
        this.claims = new AtomicIntegerArray(inputs.size());
    }

    /**
     * Returns a source of {@code inputs}.
     *
     * @param batchSizes the sizes of the batches, repeated; 0 is an empty batch
     */
    static <T> TrackedSource<T> of(List<T> inputs, int... batchSizes) {
        return new TrackedSource<>(inputs, batchSizes);
    }

    static TrackedSource<Integer> numbers(int count, int... batchSizes) {
        return of(IntStream.range(0, count).boxed().toList(), batchSizes);
    }

    /** Sets which inputs may be finished. The end of any other input is a violation. */
    TrackedSource<T> mayFinish(IntPredicate allowed) {
        mayFinish = allowed;
        return this;
    }

    /** After the last input, makes the source wait for a stop or a cancellation. */
    TrackedSource<T> heldOpen() {
        heldOpen = true;
        return this;
    }

    /** As {@link #heldOpen()}, and also calls {@code exhausted} at each pull after the last input. */
    TrackedSource<T> heldOpen(Runnable exhausted) {
        whenExhausted = exhausted;
        return heldOpen();
    }

    Source<T> source() {
        return Source.custom("tracked", context -> {
            assertThat(created.incrementAndGet())
                    .as("runs of one tracked source")
                    .isEqualTo(1);
            context.onStop(stop::countDown);
            return new Running(context);
        });
    }

    boolean isClosed() {
        return closed.get() > 0;
    }

    /** Returns the number of inputs emitted. */
    int pulled() {
        return pulled.get();
    }

    boolean isFinished(int index) {
        return index < pulled.get() && claims.get(index) == 0 && !dropped.contains(index);
    }

    int finishedCount() {
        return (int) IntStream.range(0, pulled.get()).filter(this::isFinished).count();
    }

    @Override
    public void ack(long token) {
        int index = (int) token;
        int left = claims.decrementAndGet(index);
        if (left < 0) {
            breaches.add("input " + index + " was acknowledged after it had finished");
        } else if (left == 0 && !dropped.contains(index) && !mayFinish.test(index)) {
            breaches.add("input " + index + " finished before what came of it");
        }
    }

    @Override
    public void forgo(long token) {
        drop((int) token);
    }

    @Override
    public void abandon(long token) {
        drop((int) token);
    }

    private void drop(int index) {
        dropped.add(index);
        if (claims.decrementAndGet(index) < 0) {
            breaches.add("input " + index + " was forgone or abandoned after its last claim had ended");
        }
    }

    @Override
    public void retain(long token, int more) {
        int index = (int) token;
        if (more < 1) {
            breaches.add("input " + index + " was retained for " + more + " claims");
        }
        if (claims.getAndAdd(index, more) <= 0) {
            breaches.add("input " + index + " was retained after it had finished");
        }
    }

    /** Checks, after any end, that there was no violation and that the stage was closed once. */
    void assertProtocolKept() {
        assertThat(breaches).isEmpty();
        assertThat(closed).as("closings of the source").hasValue(1);
    }

    /** Returns the inputs with pending acknowledgements. A closing source waits for them. */
    List<Integer> waitedFor() {
        return IntStream.range(0, pulled.get())
                .filter(index -> claims.get(index) > 0)
                .boxed()
                .toList();
    }

    /** Checks, after a normal end, that every input was also emitted and finished. */
    void assertAllFinished() {
        assertProtocolKept();
        assertThat(pulled).as("inputs handed out").hasValue(inputs.size());
        assertThat(IntStream.range(0, inputs.size()).filter(index -> !isFinished(index)))
                .as("inputs never acknowledged")
                .isEmpty();
    }

    /** Checks {@link #assertAllFinished} after a run with futures, whose elements may be finished after the run. */
    void assertAllFinishedSoon() {
        long patienceEnds = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (finishedCount() < pulled.get() && System.nanoTime() - patienceEnds < 0) {
            Thread.onSpinWait();
        }
        assertAllFinished();
    }

    private final class Running implements Stage<T> {

        private final StageContext context;
        private int batches;

        Running(StageContext context) {
            this.context = context;
        }

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
            int from = pulled.get();
            if (stop.getCount() == 0) {
                return null;
            }
            if (from == inputs.size()) {
                return heldOpen ? awaitStop(deadlineNanos) : null;
            }
            int size = Math.min(batchSizes[batches++ % batchSizes.length], inputs.size() - from);
            long[] tokens = new long[size];
            for (int i = 0; i < size; i++) {
                claims.set(from + i, 1);
                tokens[i] = (long) from + i;
            }
            pulled.set(from + size);
            context.meter().out(size);
            Object[] values = inputs.subList(from, from + size).toArray();
            return Batch.of(Arrays.copyOf(values, Math.max(1, size)), size, TrackedSource.this, tokens);
        }

        private @Nullable Batch<T> awaitStop(long deadlineNanos) throws InterruptedException {
            whenExhausted.run();
            if (deadlineNanos == NEVER) {
                stop.await();
                return null;
            }
            boolean stopped = stop.await(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
            return stopped ? null : new Batch<>(0);
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }
}
