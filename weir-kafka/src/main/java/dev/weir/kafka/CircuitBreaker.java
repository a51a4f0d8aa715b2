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
 * Holds back calls to a service that fails. Thread-safe; may be shared by all pipelines that call the same service.
 *
 * <pre>
 *   CLOSED --too many of the last calls failed--> OPEN --time is over--> HALF_OPEN --all probes done--> CLOSED
 *                                                  ^                        |
 *                                                  +----a probe failed------+
 * </pre>
 *
 * <p>While it is open callers wait instead of failing, so that a pipeline stands still, its consumer pauses, and
 * nothing is lost, repeated or sent away because of the service. Half open, so many calls as it takes probes go
 * through; for each time {@code openFor} that they do not answer, one more.
 */
public final class CircuitBreaker {

    /** The state of the circuit: open to calls or not. */
    public enum State {
        /** All do. */
        CLOSED,
        /** None does. */
        OPEN,
        /** A few do, as probes. */
        HALF_OPEN
    }

    /** A breaker at one moment. */
    public static final class Snapshot {

        private final Values values;

        private Snapshot(State state, int calls, int failures, long timesOpened) {
            this.values = new Values(state, calls, failures, timesOpened);
        }

        /** For tests of code that reads one. */
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

        /** Number of openings since it was made. */
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

    /** Stands for ever: no clock that counts nanoseconds overflows by it. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final double share;
    private final int window;
    private final Duration openFor;
    private final int probes;
    private final Predicate<? super Throwable> counts;
    private final Clock clock;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition mayHaveChanged = lock.newCondition();

    // Under the lock.
    private State state = State.CLOSED;
    private final BitSet failed = new BitSet();
    private int next;
    private int calls;
    private int failures;
    private long generation;
    /** Time until which an open breaker lets nothing through, or a half-open one waits for its probes alone. */
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

    /** Opens for {@code openFor} when so many calls failed one after the other. */
    public static CircuitBreaker consecutive(int failures, Duration openFor) {
        return failureRate(1, failures, openFor);
    }

    /** Opens for {@code openFor} when of the last {@code calls} at least this share failed. */
    public static CircuitBreaker failureRate(double share, int calls, Duration openFor) {
        return new CircuitBreaker(share, calls, openFor, DEFAULT_PROBES, failure -> true, Clock.SYSTEM);
    }

    /** A new breaker that closes after so many probes have succeeded; at least 1, default {@value #DEFAULT_PROBES}. */
    public CircuitBreaker withProbes(int newProbes) {
        return new CircuitBreaker(share, window, openFor, newProbes, counts, clock);
    }

    /** A new breaker that counts only these failures; others say that the service answers. */
    public CircuitBreaker counting(Predicate<? super Throwable> newCounts) {
        return new CircuitBreaker(share, window, openFor, probes, newCounts, clock);
    }

    /** A new breaker on another clock; for tests. */
    public CircuitBreaker on(Clock newClock) {
        return new CircuitBreaker(share, window, openFor, probes, counts, newClock);
    }

    /** The result of {@link #acquire(BooleanSupplier)} if no call is to be made. */
    public static final long NO_PERMIT = -1;

    /** Waits until a call may go through. Each return is to be followed by one of the three below, with its result. */
    public long acquire() throws InterruptedException {
        return acquire(() -> false);
    }

    /**
     * Waits as above, for a call that may become needless while it waits: then it gives {@link #NO_PERMIT}, for which
     * nothing is to follow.
     *
     * @param needless asked under the breaker's lock, before and after each wait, so it must be quick and take no lock;
     *     code that changes its answer calls {@link #lookAgain}
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

    /** Lets calls that wait ask whether they have become needless. */
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
                // A probe has not answered for so long: another may find out, though the answer still counts.
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

    /** The call that {@code permit} was given for is done. */
    public void succeeded(long permit) {
        ended(permit, false);
    }

    /** The call that {@code permit} was given for failed. */
    public void failed(long permit, Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        boolean isFailure = true;
        try {
            isFailure = counts.test(failure);
        } finally {
            // Also if that question fails: with a probe that never ends all others would wait for ever.
            ended(permit, isFailure);
        }
    }

    /** The call that {@code permit} was given for was not made, or nothing can be learned from it. */
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

    /** Opens it until {@link #close}: no call goes through, however long that is. For operators. */
    public void open() {
        lock.lock();
        try {
            become(State.OPEN);
            shutUntilNanos = clock.after(LONGEST.toNanos());
        } finally {
            lock.unlock();
        }
    }

    /** Closes it and forgets the failures so far; it opens again by itself as before. For operators. */
    public void close() {
        lock.lock();
        try {
            become(State.CLOSED);
        } finally {
            lock.unlock();
        }
    }

    /** The state now. One whose time is over stays open until somebody wants to call. */
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
