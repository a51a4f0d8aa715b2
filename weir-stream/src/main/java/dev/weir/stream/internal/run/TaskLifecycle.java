package dev.weir.stream.internal.run;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The life of one task, and what an interrupt does to it at each point. Thread-safe.
 *
 * <pre>
 *   QUEUED --begin--> RUNNING --hold--> HOLDING --interruptUnlessHeld--> DEFERRING
 *     |                 ^  ^               |                                |
 *     |                 |  +----letGo------+---letGo: the interrupt comes---+
 *     +--interrupt--> RESCUED --begin--> RUNNING
 *     +--withdraw--> SHIELDED <--shield-- RUNNING, HOLDING, DEFERRING
 * </pre>
 *
 * <p>A separate flag, never reset, records whether an interrupt was requested.
 */
final class TaskLifecycle {

    /** The state of the task. Each says which interrupts reach its thread. */
    enum State {
        /**
         * The body waits for its turn. An interrupt is stored, or starts a thread of its own if the wait may be long.
         */
        QUEUED,
        /** The body was interrupted while it waited in a pool's queue, and a thread of its own is about to begin it. */
        RESCUED,
        /** The body runs. Each interrupt reaches its thread. */
        RUNNING,
        /**
         * The body runs in stages of another segment. An interrupt of only its own segment waits until the body
         * returns.
         */
        HOLDING,
        /** HOLDING with a pending interrupt. */
        DEFERRING,
        /** No interrupt reaches the thread: the body cleans up, has ended, or was withdrawn. Final. */
        SHIELDED
    }

    private final boolean mayQueue;
    private final ReentrantLock lock = new ReentrantLock();

    // Written only while holding the lock.
    private State state = State.QUEUED;
    private @Nullable Thread thread;
    private volatile boolean interruptRequested;

    /**
     * Creates the life cycle of a task that has not begun.
     *
     * @param mayQueue whether it may wait behind foreign tasks
     */
    TaskLifecycle(boolean mayQueue) {
        this.mayQueue = mayQueue;
    }

    /**
     * Starts the body on {@code current}, the calling thread. Returns false if another thread has begun it, or it was
     * withdrawn.
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
     * Withdraws the task before it begins. Returns false if it has begun, or a thread of its own is about to begin it.
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

    /** Interrupts a task that is about to start; any thread. */
    void interruptAtStart() {
        interruptRequested = true;
    }

    /**
     * Interrupts the body, now or as soon as it begins. Only the first call counts.
     *
     * @return whether the caller is to give the task a thread of its own
     */
    boolean interrupt() {
        lock.lock();
        try {
            return deliver();
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts the body, but an interrupt between {@link #hold} and {@link #letGo} waits for the latter. */
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
     * Delivers an interrupt. Returns whether the task needs a thread of its own. Must be called while holding the lock.
     */
    private boolean deliver() {
        if (interruptRequested) {
            return false;
        }
        // Set the flag first: code that clears the thread's interrupt must see why it came.
        interruptRequested = true;
        if (thread != null) {
            thread.interrupt();
        } else if (state == State.QUEUED && mayQueue) {
            state = State.RESCUED;
            return true;
        }
        return false;
    }

    /** Defers interrupts for this segment alone from now on. Own thread only. */
    void hold() {
        lock.lock();
        try {
            if (state == State.RUNNING) {
                state = State.HOLDING;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Stops deferring interrupts, and delivers a pending one. Does nothing unless deferred. */
    void letGo() {
        lock.lock();
        try {
            boolean due = state == State.DEFERRING;
            if (due || state == State.HOLDING) {
                state = State.RUNNING;
            }
            if (due) {
                boolean ignored = deliver();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Blocks further interrupts and clears a pending one. Own thread only. */
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

    /** The thread that runs the body, or null before the body begins and after it is shielded. */
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
