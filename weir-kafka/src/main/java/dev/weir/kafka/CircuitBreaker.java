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
 * Suspends calls to a failing service. Thread-safe. Several pipelines that call the same service may use the same
 * breaker.
 *
 * <pre>
 *   CLOSED --too many of the last calls failed--> OPEN --openFor over--> HALF_OPEN --all probes succeeded--> CLOSED
 *                                                  ^                        |
 *                                                  +----a probe failed------+
 * </pre>
 *
 * <p>While the breaker is open, callers wait instead of failing. Back-pressure stops the upstream stages and pauses the
 * consumer, so the outage does not cause records to be lost, repeated or dead-lettered. A half-open breaker allows a
 * fixed number of probe calls, and one more whenever {@code openFor} passes without a response.
 */
public final class CircuitBreaker {

    /** The state of a circuit breaker. */
    public enum State {
        /** All calls are allowed. */
        CLOSED,
        /** No calls are allowed. */
        OPEN,
        /** A few calls are allowed, as probes. */
        HALF_OPEN
    }

    /** An immutable snapshot of a breaker's state. */
    public static final class Snapshot {

        private final Values values;

        private Snapshot(State state, int calls, int failures, long timesOpened) {
            this.values = new Values(state, calls, failures, timesOpened);
        }

        /** Creates a snapshot. Intended for tests of code that uses snapshots. */
        public static Snapshot of(State state, int calls, int failures, long timesOpened) {
            return new Snapshot(state, calls, failures, timesOpened);
        }

        public State state() {
            return values.state;
        }

        /** Returns the number of calls in the window of recent calls. */
        public int calls() {
            return values.calls;
        }

        /** Returns the number of failed calls in the window. */
        public int failures() {
            return values.failures;
        }

        /** Returns the number of times the breaker has opened. */
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

    /** The default number of calls that must succeed before an open breaker closes: {@value}. */
    public static final int DEFAULT_PROBES = 3;

    private static final int MAX_WINDOW = 1_000_000;

    /** The duration of {@link #open}: about 100 years, which does not overflow in nanoseconds. */
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
    /** Before this time, an open breaker allows no calls, and a half-open breaker no additional probe. */
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

    /** Returns a breaker that opens for the given time after the given number of consecutive failures. */
    public static CircuitBreaker consecutive(int failures, Duration openFor) {
        return failureRate(1, failures, openFor);
    }

    /**
     * Returns a breaker that opens for the given time when at least the given fraction of the last {@code calls} calls
     * has failed.
     */
    public static CircuitBreaker failureRate(double share, int calls, Duration openFor) {
        return new CircuitBreaker(share, calls, openFor, DEFAULT_PROBES, failure -> true, Clock.SYSTEM);
    }

    /**
     * Returns a copy of this breaker that closes after the given number of successful probes; at least 1, default 3.
     */
    public CircuitBreaker withProbes(int newProbes) {
        return new CircuitBreaker(share, window, openFor, newProbes, counts, clock);
    }

    /**
     * Returns a copy of this breaker that counts only the failures that match the predicate. Any other failure counts
     * as a successful call, because the service responded.
     */
    public CircuitBreaker counting(Predicate<? super Throwable> newCounts) {
        return new CircuitBreaker(share, window, openFor, probes, newCounts, clock);
    }

    /** Returns a copy of this breaker that uses another clock, for tests. */
    public CircuitBreaker on(Clock newClock) {
        return new CircuitBreaker(share, window, openFor, probes, counts, newClock);
    }

    /** Returned by {@link #acquire(BooleanSupplier)} if the call must not be made. */
    public static final long NO_PERMIT = -1;

    /**
     * Waits until a call is allowed, and returns its permit. Report the outcome with {@link #succeeded},
     * {@link #failed} or {@link #abandoned}.
     */
    public long acquire() throws InterruptedException {
        return acquire(() -> false);
    }

    /**
     * Waits like {@link #acquire()}, but only while the call is needed. Returns {@link #NO_PERMIT} if the call is no
     * longer needed; then report no outcome.
     *
     * @param needless returns true if the call is no longer needed. Called with the breaker's lock held, before and
     *     after each wait, so it must be fast and must not acquire a lock. Call {@link #lookAgain} when its result
     *     changes
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

    /** Makes waiting callers check again whether their calls are still needed. */
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
                // A probe has been running for longer than openFor. Allow another one. The outcomes of both count.
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
            // Report an outcome even if the predicate throws. Other callers may be waiting for it.
            ended(permit, isFailure);
        }
    }

    /** Reports that the call for {@code permit} was not made, or that its outcome does not concern the service. */
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
                if (calls == window && (double) failures / window >= share) {
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

    /** Opens the breaker until {@link #close} is called. Intended for operators. */
    public void open() {
        lock.lock();
        try {
            become(State.OPEN);
            shutUntilNanos = clock.after(LONGEST.toNanos());
        } finally {
            lock.unlock();
        }
    }

    /** Closes the breaker and forgets earlier failures. Later failures open it as usual. Intended for operators. */
    public void close() {
        lock.lock();
        try {
            become(State.CLOSED);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the current state. It remains {@link State#OPEN} until a call is attempted, even after {@code openFor}.
     */
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
