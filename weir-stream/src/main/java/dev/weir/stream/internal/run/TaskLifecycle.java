package dev.weir.stream.internal.run;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The life cycle of one task, and the effect of an interrupt in each state. Thread-safe.
 *
 * <pre>
 *   QUEUED --begin--> RUNNING --hold--> HOLDING --interruptUnlessHeld--> DEFERRING
 *     |                 ^  ^               |                                |
 *     |                 |  +--last letGo---+-last letGo, interrupt comes----+
 *     +--interrupt--> RESCUED --begin--> RUNNING
 *     +--withdraw--> SHIELDED <--shield-- RUNNING, HOLDING, DEFERRING
 * </pre>
 *
 * <p>A separate flag, which is never reset, records whether an interrupt was requested.
 */
final class TaskLifecycle {

    /** State of the task. It determines which interrupts reach the task's thread. */
    enum State {
        /**
         * The body has not started. An interrupt is stored until the body starts. If the task may wait in a pool's
         * queue, the interrupt makes a separate thread start it.
         */
        QUEUED,
        /** The body was interrupted while queued in a pool. A separate thread is about to start it. */
        RESCUED,
        /** The body is running. Every interrupt reaches its thread. */
        RUNNING,
        /** The body is pulling stages of another task. An interrupt for the body's own stages is deferred. */
        HOLDING,
        /** Like HOLDING, with a deferred interrupt. */
        DEFERRING,
        /** No interrupt reaches the thread. The body is cleaning up, has ended, or was withdrawn. Final. */
        SHIELDED
    }

    private final boolean mayQueue;
    private final ReentrantLock lock = new ReentrantLock();

    // Written only while holding the lock.
    private State state = State.QUEUED;
    /** Number of {@link #hold} calls without a {@link #letGo}. */
    private int holds;

    private @Nullable Thread thread;
    private volatile boolean interruptRequested;

    /**
     * Creates the life cycle of a task that has not started.
     *
     * @param mayQueue whether the task may be queued behind other tasks in a pool
     */
    TaskLifecycle(boolean mayQueue) {
        this.mayQueue = mayQueue;
    }

    /**
     * Starts the body on {@code current}, the calling thread. Returns false if another thread has started it or the
     * task was withdrawn.
     */
    boolean begin(Thread current) {
        lock.lock();
        try {
            if (state != State.QUEUED && state != State.RESCUED) {
                return false;
            }
            state = State.RUNNING;
            thread = current;
            if (interruptRequested) {
                current.interrupt();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Withdraws the task before it starts. Returns false if it has started or a separate thread will start it. */
    boolean withdraw() {
        lock.lock();
        try {
            if (state != State.QUEUED) {
                return false;
            }
            state = State.SHIELDED;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts a task that has not started, as soon as it starts. May be called from any thread. */
    void interruptAtStart() {
        interruptRequested = true;
    }

    /**
     * Interrupts the body, now or as soon as it starts. Only the first call has an effect.
     *
     * @return whether the caller must start a separate thread for the task
     */
    boolean interrupt() {
        lock.lock();
        try {
            return deliver();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Interrupts the body. Between {@link #hold} and {@link #letGo}, the interrupt is deferred.
     *
     * @return whether the caller must start a separate thread for the task
     */
    boolean interruptUnlessHeld() {
        lock.lock();
        try {
            if (state == State.HOLDING || state == State.DEFERRING) {
                state = State.DEFERRING;
                return false;
            }
            return deliver();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Delivers an interrupt. Returns whether the caller must start a separate thread for the task. Called with the lock
     * held.
     */
    private boolean deliver() {
        if (interruptRequested) {
            return false;
        }
        // Set the flag first, so that code which clears the interrupt sees the flag.
        interruptRequested = true;
        if (thread != null) {
            thread.interrupt();
        } else if (state == State.QUEUED && mayQueue) {
            state = State.RESCUED;
            return true;
        }
        return false;
    }

    /**
     * Defers interrupts for the task's own stages, until {@link #letGo} has been called as often as this method. Must
     * be called on the task's own thread.
     */
    void hold() {
        lock.lock();
        try {
            if (state == State.RUNNING) {
                state = State.HOLDING;
                holds = 1;
            } else if (state == State.HOLDING || state == State.DEFERRING) {
                holds++;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends one {@link #hold}. The last call delivers a deferred interrupt. Does nothing if interrupts are not deferred.
     */
    void letGo() {
        lock.lock();
        try {
            boolean due = state == State.DEFERRING;
            if ((due || state == State.HOLDING) && --holds == 0) {
                state = State.RUNNING;
                if (due) {
                    boolean ignored = deliver();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Blocks further interrupts and clears a pending one. Must be called on the task's own thread. */
    void shield() {
        lock.lock();
        try {
            state = State.SHIELDED;
            thread = null;
            boolean ignored = Thread.interrupted();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether an interrupt was requested and not deferred, even if user code has swallowed it. Takes no lock.
     */
    boolean isInterruptRequested() {
        return interruptRequested;
    }

    /** Returns the thread that is running the body, or null. */
    @Nullable
    Thread thread() {
        lock.lock();
        try {
            return thread;
        } finally {
            lock.unlock();
        }
    }
}
