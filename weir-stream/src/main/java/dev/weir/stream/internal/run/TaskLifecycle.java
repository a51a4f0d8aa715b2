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

    /** The state of the task, which determines which interrupts reach its thread. */
    enum State {
        /**
         * The body has not started. An interrupt is stored until it starts. If the task may be queued in a pool, the
         * interrupt also causes a separate thread to run the task.
         */
        QUEUED,
        /** The body was interrupted while it was queued in a pool, and a separate thread is about to start it. */
        RESCUED,
        /** The body is running. Every interrupt reaches its thread. */
        RUNNING,
        /**
         * The body is running stages that belong to another task. An interrupt that is meant only for the body's own
         * stages waits until the other stages have returned.
         */
        HOLDING,
        /** Like HOLDING, but with a pending interrupt. */
        DEFERRING,
        /** No interrupt reaches the thread, because the body is cleaning up, has ended, or was withdrawn. Final. */
        SHIELDED
    }

    private final boolean mayQueue;
    private final ReentrantLock lock = new ReentrantLock();

    // Written only while holding the lock.
    private State state = State.QUEUED;
    /** Number of calls of {@link #hold} that have not ended. */
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

    /**
     * Withdraws the task before it starts. Returns false if it has started or a separate thread is about to start it.
     */
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

    /**
     * Stores an interrupt for a task that has not been started yet. The body will be interrupted when it starts. May be
     * called from any thread.
     */
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
     * Interrupts the body. An interrupt between {@link #hold} and {@link #letGo} is deferred until {@code letGo}.
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
     * Delivers an interrupt. Returns whether the caller must start a separate thread for the task. Must be called while
     * holding the lock.
     */
    private boolean deliver() {
        if (interruptRequested) {
            return false;
        }
        // The flag is set before the thread is interrupted, so that code that clears the interrupt sees the flag.
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
     * Starts deferring interrupts that are meant only for the task's own stages, until {@link #letGo} has been called
     * as often as this method. Must be called on the task's own thread.
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
     * Ends one {@link #hold}. The last one stops deferring interrupts and delivers a pending one. Does nothing if
     * interrupts are not deferred.
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
     * Returns whether an interrupt was requested and is not deferred, even if user code has swallowed it. Takes no
     * lock.
     */
    boolean isInterruptRequested() {
        return interruptRequested;
    }

    /** Returns the thread that is running the body; null before the body starts and after it was shielded. */
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
