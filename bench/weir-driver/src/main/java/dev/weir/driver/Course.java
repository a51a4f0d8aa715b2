package dev.weir.driver;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a pass. The measured time starts once and ends once, unless the pass fails. Thread-safe, except that
 * only the sampler may call {@link #awaitFirst}, {@link #awaitEnd} and {@link #mark}.
 *
 * <pre>
 * ordered --begin--> under way --end--> over
 *    |                   |
 *    +------- fail ------+------------> over, and failed
 * </pre>
 */
final class Course {
    private final long wanted;
    private final long limitNanos;
    private final Tally tally;
    private final HandlerWork work;
    private final AtomicBoolean beginning = new AtomicBoolean();
    private final AtomicBoolean ending = new AtomicBoolean();
    private final CountDownLatch first = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);

    private volatile boolean isOver;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    // Each field is written once, by the thread that begins or ends the pass.
    private volatile @Nullable Mark start;
    private volatile long waitedBefore = -1;
    private volatile @Nullable Mark end;
    private volatile Map<String, Double> figures = Map.of();

    record Mark(long nanos, long records, long bytes, Usage usage, HandlerTime handlers) {}

    /** The part of a pass from the first record to the end. */
    record Span(Mark from, Mark to) {
        long records() {
            return to.records() - from.records();
        }

        long bytes() {
            return to.bytes() - from.bytes();
        }

        long nanos() {
            return to.nanos() - from.nanos();
        }

        HandlerTime handlers() {
            return to.handlers().since(from.handlers());
        }
    }

    /**
     * Creates a course.
     *
     * @param limitNanos time limit, counted from the first record
     */
    Course(long wanted, long limitNanos, Tally tally, HandlerWork work) {
        this.wanted = wanted;
        this.limitNanos = limitNanos;
        this.tally = tally;
        this.work = work;
    }

    /**
     * Starts the measured time of the pass. Later calls have no effect.
     *
     * @param recordsBefore the number of records that were counted before the measured time
     * @param bytesBefore the number of bytes that were counted before the measured time
     */
    void begin(long recordsBefore, long bytesBefore) {
        if (start == null && beginning.compareAndSet(false, true)) {
            Usage usage = Meters.full();
            waitedBefore = Meters.waitedNanos();
            start = new Mark(System.nanoTime(), recordsBefore, bytesBefore, usage, work.time());
            first.countDown();
        }
    }

    void end() {
        if (ending.compareAndSet(false, true)) {
            long nanos = System.nanoTime();
            end = new Mark(nanos, Math.min(wanted, tally.records()), tally.bytes(), Meters.full(), work.time());
            figures = figuresAt(nanos);
            over();
        }
    }

    /**
     * Returns the figures of the pass up to the given time. Call it while the clients are open and their threads run.
     */
    private Map<String, Double> figuresAt(long nanos) {
        Map<String, Double> told = new HashMap<>(ClientMetrics.read());
        Mark from = start;
        long waited = Meters.waitedNanos() - waitedBefore;
        if (from != null && nanos > from.nanos() && waitedBefore >= 0 && waited >= 0) {
            told.put(Pass.WAITED_FOR_CORES, 100.0 * waited / (nanos - from.nanos()));
        }
        return told;
    }

    /** Ends the pass as if it had reached its time limit. Also starts the measured time if no record has arrived. */
    void endNow() {
        begin(0, 0);
        end();
    }

    /** Ends the pass with a failure. Later failures and null have no effect. */
    void fail(@Nullable Throwable cause) {
        if (cause != null) {
            failure.compareAndSet(null, cause);
            over();
        }
    }

    private void over() {
        isOver = true;
        over.countDown();
    }

    void requireNoFailure() {
        Throwable cause = failure.get();
        if (cause != null) {
            throw new IllegalStateException("the library failed: " + cause, cause);
        }
    }

    boolean isOver() {
        return isOver;
    }

    void await() throws InterruptedException {
        over.await();
    }

    /** Waits until the pass is over, but no longer than {@code nanos}. Returns whether the pass is over. */
    boolean await(long nanos) throws InterruptedException {
        return over.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** The state when the measured time started; null before. */
    @Nullable
    Mark start() {
        return start;
    }

    /**
     * Waits until the measured time starts, but no longer than {@code nanos}. Returns null if it has not started by
     * then.
     */
    @Nullable
    Mark awaitFirst(long nanos) throws InterruptedException {
        return first.await(nanos, TimeUnit.NANOSECONDS) ? start : null;
    }

    /**
     * Waits until the pass is over, but no longer than {@code nanos}. Ends the pass at its time limit, or when
     * {@link Tally#step} was called for all requested records. Returns whether the pass is over.
     */
    boolean awaitEnd(long nanos) throws InterruptedException {
        boolean ended = await(nanos);
        Mark from = start;
        if (!ended && from != null && (System.nanoTime() - from.nanos() >= limitNanos || tally.steps() >= wanted)) {
            end();
            return true;
        }
        return ended;
    }

    /** Returns the current state, or the state at the end if the pass has ended. */
    Mark mark() throws InterruptedException {
        Mark now = new Mark(System.nanoTime(), tally.records(), tally.bytes(), Meters.quick(), work.time());
        if (!ending.get()) {
            return now; // the pass had not ended yet
        }
        over.await();
        Mark to = end;
        return to == null ? now : to;
    }

    /** Returns whether the mark is the end of the pass. */
    boolean endsAt(Mark mark) {
        return mark == end;
    }

    /**
     * Returns the figures of the whole pass. Call it after the driver has returned.
     *
     * @throws IllegalStateException if the pass failed, or has not ended
     */
    Span span() {
        requireNoFailure();
        Mark from = start;
        Mark to = end;
        if (from == null || to == null) {
            throw new IllegalStateException("the driver ended its pass after " + tally.records() + " of " + wanted
                    + " records, before enough arrived or time ran out");
        }
        return new Span(from, to);
    }

    /** The figures of Kafka's clients, and the time that threads waited for a core, at the end of the pass. */
    Map<String, Double> figures() {
        return figures;
    }
}
