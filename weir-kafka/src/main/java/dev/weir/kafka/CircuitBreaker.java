package dev.weir.kafka;

import dev.weir.stream.spi.Clock;
import java.time.Duration;
import java.util.BitSet;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Holds back calls to a failing service. Thread-safe; several pipelines that call the same service may share one
 * breaker.
 *
 * <pre>
 *   CLOSED --too many of the last calls failed--> OPEN --openFor over--> HALF_OPEN --all probes done--> CLOSED
 *                                                  ^                        |
 *                                                  +----a probe failed------+
 * </pre>
 *
 * <p>While the breaker is open, callers wait instead of failing: the pipeline stops, its consumer pauses, and the
 * outage causes no record to be lost, repeated or dead-lettered. While half open, the breaker lets a fixed number of
 * probes through, plus one more each time {@code openFor} passes without an answer.
 */
public final class CircuitBreaker {

    /** The state of the circuit. */
    public enum State {
        /** All calls go through. */
        CLOSED,
        /** No call goes through. */
        OPEN,
        /** A few calls go through, as probes. */
        HALF_OPEN
    }

    /** Snapshot of a breaker. */
    public static final class Snapshot {

        private final Values values;

        private Snapshot(State state, int calls, int failures, long timesOpened) {
            this.values = new Values(state, calls, failures, timesOpened);
        }

        /** Creates a snapshot for tests of code that reads one. */
        public static Snapshot of(State state, int calls, int failures, long timesOpened) {
            return new Snapshot(state, calls, failures, timesOpened);
        }

        public State state() {
            return values.state;
        }

        /** Number of recent calls in the window. */
        public int calls() {
            return values.calls;
        }

        /** Number of failures among them. */
        public int failures() {
            return values.failures;
        }

        /** Number of times the breaker has opened. */
        public long timesOpened() {
            return values.timesOpened;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Snapshot that && values.equals(that.values);
        }

        @Override
        public int hashCode() {
            return values.hashCode();
        }

        @Override
        public String toString() {
            return values.toString().replaceFirst("Values", "Snapshot");
        }

        private record Values(State state, int calls, int failures, long timesOpened) {

            Values {
                Objects.requireNonNull(state, "state");
            }
        }
    }

    /** The number of calls that must succeed before an open breaker closes: {@value}. */
    public static final int DEFAULT_PROBES = 3;

    private static final int MAX_WINDOW = 1_000_000;

    /** A practically endless time for {@link #open}, whose nanoseconds do not overflow. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final double share;
    private final int window;
    private final Duration openFor;
    private final int probes;
    private final Predicate<? super Throwable> counts;
    private final Clock clock;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition mayHaveChanged = lock.newCondition();

    // Guarded by the lock.
    private State state = State.CLOSED;
    private final BitSet failed = new BitSet();
    private int next;
    private int calls;
    private int failures;
    private long generation;
    /** Until this time an open breaker lets nothing through and a half-open one starts no extra probe. */
    private long shutUntilNanos;

    private int probesBegun;
    private int probesDone;
    private long timesOpened;

    private CircuitBreaker(
            double share, int window, Duration openFor, int probes, Predicate<? super Throwable> counts, Clock clock) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share must be more than 0 and at most 1: share=" + share);
        }
        if (window < 1 || window > MAX_WINDOW) {
            throw new IllegalArgumentException("a breaker must look at 1 to " + MAX_WINDOW + " calls: calls=" + window);
        }
        if (!openFor.isPositive()) {
            throw new IllegalArgumentException("openFor must be more than 0: openFor=" + openFor);
        }
        if (probes < 1) {
            throw new IllegalArgumentException("probes must be at least 1: probes=" + probes);
        }
        this.share = share;
        this.window = window;
        this.openFor = openFor.compareTo(LONGEST) < 0 ? openFor : LONGEST;
        this.probes = probes;
        this.counts = Objects.requireNonNull(counts, "counts");
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    /** Returns a breaker that opens for {@code openFor} after this many consecutive failures. */
    public static CircuitBreaker consecutive(int failures, Duration openFor) {
        return failureRate(1, failures, openFor);
    }

    /**
     * Returns a breaker that opens for {@code openFor} when at least this share of the last {@code calls} calls failed.
     */
    public static CircuitBreaker failureRate(double share, int calls, Duration openFor) {
        return new CircuitBreaker(share, calls, openFor, DEFAULT_PROBES, failure -> true, Clock.SYSTEM);
    }

    /**
     * Returns a breaker that closes after this many successful probes; at least 1, default 3.
     */
    public CircuitBreaker withProbes(int newProbes) {
        return new CircuitBreaker(share, window, openFor, newProbes, counts, clock);
    }

    /** Returns a breaker that counts only these failures; any other failure counts as an answer of the service. */
    public CircuitBreaker counting(Predicate<? super Throwable> newCounts) {
        return new CircuitBreaker(share, window, openFor, probes, newCounts, clock);
    }

    /** Returns a breaker on another clock; for tests. */
    public CircuitBreaker on(Clock newClock) {
        return new CircuitBreaker(share, window, openFor, probes, counts, newClock);
    }

    /** The result of {@link #acquire(BooleanSupplier)} when the call must not be made. */
    public static final long NO_PERMIT = -1;

    /**
     * Waits until a call may go through. Report the outcome with {@link #succeeded}, {@link #failed} or {@link
     * #abandoned}, passing the returned permit.
     */
    public long acquire() throws InterruptedException {
        return acquire(() -> false);
    }

    /**
     * Waits as {@link #acquire()} does, for a call that may become needless in the meantime. Returns {@link #NO_PERMIT}
     * if it has; no outcome is reported then.
     *
     * @param needless called under the breaker's lock before and after each wait, so it must be quick and take no lock.
     *     Code that changes its answer calls {@link #lookAgain}
     */
    public long acquire(BooleanSupplier needless) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                if (needless.getAsBoolean()) {
                    return NO_PERMIT;
                }
                if (mayCall()) {
                    return generation;
                }
                clock.await(lock, mayHaveChanged, shutUntilNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Makes waiting calls check again whether they are still needed. */
    public void lookAgain() {
        lock.lock();
        try {
            mayHaveChanged.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean mayCall() {
        if (state != State.CLOSED && clock.hasPassed(shutUntilNanos)) {
            if (state == State.OPEN) {
                become(State.HALF_OPEN);
            } else if (probesBegun == probes) {
                // A probe has not answered within openFor. Another may try; the late answer still counts.
                probesBegun--;
            }
            shutUntilNanos = clock.after(openFor.toNanos());
        }
        if (state == State.HALF_OPEN && probesBegun < probes) {
            probesBegun++;
            return true;
        }
        return state == State.CLOSED;
    }

    /** Reports that the call made with {@code permit} succeeded. */
    public void succeeded(long permit) {
        ended(permit, false);
    }

    /** Reports that the call made with {@code permit} failed. */
    public void failed(long permit, Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        boolean isFailure = true;
        try {
            isFailure = counts.test(failure);
        } finally {
            // Runs even if the predicate throws: a probe that never ended would block all other callers for ever.
            ended(permit, isFailure);
        }
    }

    /** Reports that the call for {@code permit} was not made, or that its outcome says nothing about the service. */
    public void abandoned(long permit) {
        lock.lock();
        try {
            if (permit == generation && state == State.HALF_OPEN) {
                probesBegun = Math.max(0, probesBegun - 1);
                mayHaveChanged.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private void ended(long permit, boolean isFailure) {
        lock.lock();
        try {
            if (permit != generation) {
                return;
            }
            if (state == State.CLOSED) {
                note(isFailure);
                if (calls == window && failures >= share * window) {
                    become(State.OPEN);
                }
            } else if (isFailure) {
                become(State.OPEN);
            } else if (++probesDone == probes) {
                become(State.CLOSED);
            }
        } finally {
            lock.unlock();
        }
    }

    private void note(boolean isFailure) {
        if (calls == window) {
            failures -= failed.get(next) ? 1 : 0;
        } else {
            calls++;
        }
        failed.set(next, isFailure);
        failures += isFailure ? 1 : 0;
        next = (next + 1) % window;
    }

    private void become(State newState) {
        state = newState;
        generation++;
        probesBegun = 0;
        probesDone = 0;
        if (newState == State.OPEN) {
            shutUntilNanos = clock.after(openFor.toNanos());
            timesOpened++;
        }
        if (newState == State.CLOSED) {
            failed.clear();
            calls = 0;
            failures = 0;
            next = 0;
        }
        mayHaveChanged.signalAll();
    }

    /** Opens the breaker until {@link #close} is called, and lets no call through until then. For operators. */
    public void open() {
        lock.lock();
        try {
            become(State.OPEN);
            shutUntilNanos = clock.after(LONGEST.toNanos());
        } finally {
            lock.unlock();
        }
    }

    /** Closes the breaker and forgets earlier failures; later failures open it as usual. For operators. */
    public void close() {
        lock.lock();
        try {
            become(State.CLOSED);
        } finally {
            lock.unlock();
        }
    }

    /** The current state. An open breaker stays open after {@code openFor} until the next call is attempted. */
    public State state() {
        return snapshot().state();
    }

    public Snapshot snapshot() {
        lock.lock();
        try {
            return new Snapshot(state, calls, failures, timesOpened);
        } finally {
            lock.unlock();
        }
    }
}
