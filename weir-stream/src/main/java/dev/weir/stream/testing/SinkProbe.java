package dev.weir.stream.testing;

import dev.weir.stream.Sink;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A sink controlled by a test, which requests the elements. It acknowledges an element when the test takes it, or,
 * after {@link #withholdAcknowledgements}, when the test calls {@link #acknowledge}. For one run only. Thread-safe.
 *
 * <p>Methods that wait fail with an {@link AssertionError} after ten seconds of the system clock. See
 * {@link SourceProbe} for an example.
 */
public final class SinkProbe<T> {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private final ArrayDeque<Element<T>> arrived = new ArrayDeque<>();
    private final ArrayDeque<Element<T>> withheld = new ArrayDeque<>();
    private boolean withholding;
    private long wantedElements;
    private long wantedBatches;
    private boolean created;
    private boolean cancelled;
    private boolean ended;
    private @Nullable Throwable failure;

    /** Creates a probe that has requested no elements. */
    public SinkProbe() {}

    /** The sink to use in the pipeline. */
    public Sink<T> sink() {
        return Sink.custom("probe", this::open);
    }

    private SinkLoop<T> open(StageContext context) {
        lock.lock();
        try {
            if (created) {
                throw new IllegalStateException("a probe is for one run");
            }
            created = true;
        } finally {
            lock.unlock();
        }
        return upstream -> run(context, upstream);
    }

    /** Leaves elements unacknowledged from now on, until {@link #acknowledge} is called. */
    public SinkProbe<T> withholdAcknowledgements() {
        change(() -> withholding = true);
        return this;
    }

    /** Requests {@code elements} more elements. More may arrive, because batches are not split. Returns immediately. */
    public SinkProbe<T> request(long elements) {
        change(() -> wantedElements += elements);
        return this;
    }

    /** Requests {@code batches} more non-empty batches. Returns immediately. */
    public SinkProbe<T> requestBatches(long batches) {
        change(() -> wantedBatches += batches);
        return this;
    }

    /** Requests all further elements. Returns immediately. */
    public SinkProbe<T> requestAll() {
        return request(Long.MAX_VALUE / 2);
    }

    /** Cancels the stream. The sink and the pipeline end as soon as the current pull returns. */
    public void cancel() {
        change(() -> cancelled = true);
    }

    /** Waits for the next element. Requests one if there is no outstanding request. */
    public T expectNext() throws InterruptedException {
        await("an element", () -> !arrived.isEmpty());
        Element<T> next;
        boolean keep;
        lock.lock();
        try {
            if (arrived.isEmpty()) {
                throw new AssertionError("expected an element, but: " + state());
            }
            next = arrived.remove();
            keep = withholding;
            if (keep) {
                withheld.add(next);
            }
        } finally {
            lock.unlock();
        }
        if (!keep) {
            next.ack();
        }
        return next.value;
    }

    /** Waits for the next {@code count} elements. */
    public List<T> expectNext(int count) throws InterruptedException {
        List<T> next = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            next.add(expectNext());
        }
        return next;
    }

    /** Fails if an element, the end, or a failure has already arrived. Does not wait for elements in flight. */
    public void expectNothing() {
        lock.lock();
        try {
            if (!arrived.isEmpty() || ended) {
                throw new AssertionError("expected nothing, but: " + state());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Pulls and waits for the end of the stream. Fails if an element arrives first. */
    public void expectEnd() throws InterruptedException {
        await("the end", () -> ended || !arrived.isEmpty());
        lock.lock();
        try {
            if (!arrived.isEmpty() || failure != null) {
                throw new AssertionError("expected the end, but: " + state());
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Pulls and waits for the stream to fail. Fails if an element or the end arrives first.
     *
     * @return the failure
     */
    public Throwable expectFailure() throws InterruptedException {
        await("a failure", () -> ended || !arrived.isEmpty());
        lock.lock();
        try {
            if (!arrived.isEmpty() || failure == null) {
                throw new AssertionError("expected a failure, but: " + state());
            }
            return failure;
        } finally {
            lock.unlock();
        }
    }

    /** Acknowledges the oldest {@code count} withheld elements. */
    public void acknowledge(int count) {
        for (int i = 0; i < count; i++) {
            Element<T> oldest;
            lock.lock();
            try {
                oldest = withheld.remove();
            } finally {
                lock.unlock();
            }
            oldest.ack();
        }
    }

    private void run(StageContext context, Stage<T> upstream) throws InterruptedException {
        try {
            while (awaitRequest(context.clock())) {
                Batch<T> batch = upstream.pull(Stage.NEVER);
                if (batch == null) {
                    break;
                }
                context.meter().in(batch.size());
                receive(batch);
            }
        } catch (Throwable thrown) {
            change(() -> failure = thrown);
            throw thrown;
        } finally {
            change(() -> ended = true);
        }
    }

    private boolean awaitRequest(Clock clock) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!cancelled && !wantsMore()) {
                clock.await(lock, changed, Stage.NEVER);
            }
            return !cancelled;
        } finally {
            lock.unlock();
        }
    }

    private void receive(Batch<T> batch) {
        change(() -> {
            if (!batch.isEmpty()) {
                wantedBatches = Math.max(0, wantedBatches - 1);
                wantedElements = Math.max(0, wantedElements - batch.size());
            }
            for (int i = 0; i < batch.size(); i++) {
                arrived.add(new Element<>(batch.get(i), batch.target(i), batch.token(i)));
            }
        });
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

    /** Waits for the condition, requesting an element if necessary. */
    private void await(String what, BooleanSupplier condition) throws InterruptedException {
        change(() -> {
            if (!condition.getAsBoolean() && !wantsMore()) {
                wantedElements = 1;
            }
        });
        Probes.await(lock, changed, () -> condition.getAsBoolean() || ended, () -> what + " never arrived");
    }

    private boolean wantsMore() {
        return wantedElements > 0 || wantedBatches > 0;
    }

    private String state() {
        return "arrived " + arrived.stream().map(Element::value).toList()
                + (ended ? failure == null ? ", then the end" : ", then " + failure : "");
    }

    private record Element<T>(T value, AckTarget target, long token) {

        void ack() {
            target.ack(token);
        }
    }
}
