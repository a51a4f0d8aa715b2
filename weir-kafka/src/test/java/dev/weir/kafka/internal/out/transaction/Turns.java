package dev.weir.kafka.internal.out.transaction;

import dev.weir.stream.spi.Clock;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * Runs the threads of a simulated process one at a time: the simulation's thread, and strands that get turns from it. A
 * strand's turn ends when it waits, on this clock or in {@link #pause}. Replays are therefore the same.
 */
public final class Turns implements Clock {

    /** The simulation's actions while its own thread waits. */
    @FunctionalInterface
    public interface Meanwhile {

        /** Performs an action, or lets time pass. */
        void act(long deadlineNanos);
    }

    /** The clock of the simulation. */
    @FunctionalInterface
    public interface Time {
        long nanos();
    }

    /** Ends a strand whose process has died. */
    @SuppressWarnings("serial") // never serialised
    public static final class Gone extends Error {
        private Gone() {
            super("gone", null, false, false);
        }
    }

    /** A simulated thread that runs only when the simulation gives it a turn. */
    public final class Strand {
        private final Semaphore turn = new Semaphore(0);
        private final Thread thread;
        private boolean begun;
        private boolean gone;
        private boolean interrupted;
        private volatile boolean done;

        private volatile @Nullable Throwable failure;

        private Strand(String name, Body body) {
            this.thread = Thread.ofVirtual().name(name).unstarted(() -> run(body));
        }

        private void run(Body body) {
            turn.acquireUninterruptibly();
            try {
                body.run();
            } catch (Gone end) {
                // Expected when the process dies.
            } catch (InterruptedException end) {
                failure = end;
            } catch (RuntimeException | Error thrown) {
                failure = thrown;
            } finally {
                done = true;
                world.release();
            }
        }

        public boolean isDone() {
            return done;
        }

        /** Returns the exception thrown by the strand, or null. */
        public @Nullable Throwable failure() {
            return failure;
        }

        /** Lets the strand run until it waits. Called on the simulation's thread. */
        void run() {
            if (done) {
                return;
            }
            if (!begun) {
                begun = true;
                thread.start();
            }
            running = this;
            turn.release();
            world.acquireUninterruptibly();
            running = null;
        }

        /** Makes the strand's next wait end with an interrupt. */
        void interrupt() {
            interrupted = true;
        }

        /** Ends the strand at its current wait. */
        void end() {
            gone = true;
            if (!begun) {
                done = true;
            }
            while (!done) {
                run();
            }
        }

        private void waitForTurn() throws InterruptedException {
            if (gone) {
                throw new Gone();
            }
            world.release();
            turn.acquireUninterruptibly();
            if (gone) {
                throw new Gone();
            }
            if (interrupted) {
                interrupted = false;
                throw new InterruptedException();
            }
        }
    }

    /** The code that a strand runs. */
    @FunctionalInterface
    public interface Body {
        void run() throws InterruptedException;
    }

    private final Semaphore world = new Semaphore(0);
    private final Time time;
    private final Meanwhile meanwhile;

    /** The strand whose turn it is; null during the simulation's own turn. */
    private volatile @Nullable Strand running;

    /** Creates an instance for one process, which uses the simulation's time. */
    public Turns(Time time, Meanwhile meanwhile) {
        this.time = time;
        this.meanwhile = meanwhile;
    }

    Strand strand(String name, Body body) {
        return new Strand(name, body);
    }

    /** Ends the turn of the calling strand. Does nothing on the simulation's thread. */
    public void pause() throws InterruptedException {
        Strand current = running;
        if (current != null) {
            current.waitForTurn();
        }
    }

    @Override
    public long nanoTime() {
        return time.nanos();
    }

    @Override
    public void await(Lock lock, Condition condition, long deadlineNanos) throws InterruptedException {
        Strand current = running;
        lock.unlock();
        try {
            if (current == null) {
                meanwhile.act(deadlineNanos);
            } else {
                current.waitForTurn();
            }
        } finally {
            lock.lock();
        }
    }
}
