package dev.weir.stream.testing;

import dev.weir.stream.Source;
import dev.weir.stream.internal.run.ArgumentChecks;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A source that a test controls. It emits elements, ends or fails on request, and records which elements were pulled
 * and acknowledged. A probe can be used for one run only. Thread-safe.
 *
 * <p>Methods that wait fail with an {@link AssertionError} after ten seconds, measured by the system clock regardless
 * of the pipeline's clock.
 *
 * {@snippet :
 * @Test
 * void words_areTrimmed() throws InterruptedException {
 *     SourceProbe<String> in = new SourceProbe<>();
 *     SinkProbe<String> out = new SinkProbe<>();
 *     try (RunningPipeline running = in.source().map(String::trim).to(out.sink()).run()) {
 *         out.request(1);
 *         in.emit(" a ");
 *         assertThat(out.expectNext()).isEqualTo("a");
 *         in.awaitAcknowledged(1);
 *         in.complete();
 *         out.expectEnd();
 *     }
 * }
 * }
 */
public final class SourceProbe<T> {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Acks acks = new Acks();

    // Guarded by the lock.
    private final ArrayDeque<Batch<T>> queued = new ArrayDeque<>();
    private final List<T> emitted = new ArrayList<>();
    private final List<Integer> pending = new ArrayList<>();
    private boolean created;
    private boolean ended;
    private @Nullable Throwable failure;
    private boolean stopped;
    private boolean closed;
    private @Nullable Running waiting;
    private long waitDeadlineNanos;

    /** Creates a probe that has no elements. */
    public SourceProbe() {}

    /** The source on which to build the pipeline. */
    public Source<T> source() {
        return Source.custom("probe", this::open);
    }

    private Stage<T> open(StageContext context) {
        lock.lock();
        try {
            if (created) {
                throw new IllegalStateException("a probe is for one run");
            }
            created = true;
        } finally {
            lock.unlock();
        }
        context.onStop(() -> change(() -> stopped = true));
        return new Running(context);
    }

    /** Queues elements as one batch for the pipeline to pull. Returns immediately. */
    @SafeVarargs
    @SuppressWarnings("varargs") // the copy is only read
    public final SourceProbe<T> emit(T... elements) {
        List<T> batch = ArgumentChecks.list("elements", elements);
        change(() -> enqueue(batch));
        return this;
    }

    private void enqueue(List<T> elements) {
        if (ended) {
            throw new IllegalStateException("the probe has ended");
        }
        int size = elements.size();
        long[] tokens = new long[size];
        for (int i = 0; i < size; i++) {
            tokens[i] = emitted.size();
            emitted.add(elements.get(i));
            pending.add(1);
        }
        queued.add(Batch.of(elements.toArray(), size, acks, tokens));
    }

    /** Ends the stream after the elements emitted so far. */
    public void complete() {
        change(() -> ended = true);
    }

    /** Fails the stream after the elements emitted so far. */
    public void fail(RuntimeException cause) {
        Objects.requireNonNull(cause, "cause");
        change(() -> {
            failure = cause;
            ended = true;
        });
    }

    /**
     * Waits until the pipeline has pulled all emitted elements and is pulling for more. The operators fused with the
     * source have then received these elements, and wait for more or for a deadline of the pipeline's clock.
     */
    public void awaitPull() throws InterruptedException {
        await("pulls for more", this::isPulled);
    }

    private boolean isPulled() {
        return waiting != null && queued.isEmpty() && !ended && !waiting.clock.hasPassed(waitDeadlineNanos);
    }

    /** Waits until the pipeline has pulled all emitted elements. */
    public void awaitTaken() throws InterruptedException {
        await("takes what was emitted", queued::isEmpty);
    }

    /** Number of emitted elements that the pipeline has not pulled yet. */
    public int untaken() {
        lock.lock();
        try {
            return queued.stream().mapToInt(Batch::size).sum();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until {@code count} of the elements emitted so far have been acknowledged, in any order. */
    public void awaitAcknowledged(int count) throws InterruptedException {
        await(
                "acknowledges " + count + " elements",
                () -> pending.stream().filter(left -> left == 0).count() >= count);
    }

    /**
     * Waits until the pipeline has asked the source to stop. The probe then ends the stream after the emitted elements.
     */
    public void awaitStop() throws InterruptedException {
        await("is asked to stop", () -> stopped);
    }

    /** Waits until the pipeline has closed the source, because it needs no more elements or has ended. */
    public void awaitClose() throws InterruptedException {
        await("closes the source", () -> closed);
    }

    /** The acknowledged elements, in the order of emission. */
    public List<T> acknowledged() {
        return elementsWith(true);
    }

    /** The unacknowledged elements, in the order of emission. */
    public List<T> unacknowledged() {
        return elementsWith(false);
    }

    private List<T> elementsWith(boolean finished) {
        lock.lock();
        try {
            return IntStream.range(0, emitted.size())
                    .filter(i -> (pending.get(i) == 0) == finished)
                    .mapToObj(emitted::get)
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    private void change(Runnable action) {
        lock.lock();
        try {
            action.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void await(String what, BooleanSupplier condition) throws InterruptedException {
        Probes.await(
                lock, changed, condition, () -> "the pipeline never " + what + "; unacknowledged: " + unacknowledged());
    }

    private final class Acks implements AckTarget {

        @Override
        public void ack(long token) {
            count((int) token, -1);
        }

        @Override
        public void retain(long token, int more) {
            count((int) token, more);
        }

        private void count(int index, int more) {
            change(() -> {
                if (pending.get(index) == 0) {
                    throw new IllegalStateException(
                            "acknowledged or retained after it was finished: " + emitted.get(index));
                }
                pending.set(index, pending.get(index) + more);
            });
        }
    }

    private final class Running implements Stage<T> {

        private final StageContext context;
        private final Clock clock;

        Running(StageContext context) {
            this.context = context;
            this.clock = context.clock();
        }

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                waiting = this;
                waitDeadlineNanos = deadlineNanos;
                changed.signalAll();
                while (queued.isEmpty() && !ended && !stopped) {
                    if (clock.hasPassed(deadlineNanos)) {
                        return new Batch<>(0);
                    }
                    clock.await(lock, changed, deadlineNanos);
                }
                Batch<T> batch = queued.poll();
                changed.signalAll();
                if (batch != null) {
                    context.meter().out(batch.size());
                } else if (failure != null) {
                    throw FailureTransfer.rethrow(failure);
                }
                return batch;
            } finally {
                waiting = null;
                lock.unlock();
            }
        }

        @Override
        public void close() {
            change(() -> closed = true);
        }
    }
}
