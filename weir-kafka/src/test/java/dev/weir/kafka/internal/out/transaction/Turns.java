package dev.weir.kafka.internal.out.transaction;

import dev.weir.stream.spi.Clock;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * Threads of a simulated process that run one at a time: the world's, and strands that it gives turns to. A strand
 * gives its turn back where it would wait: by this clock, or by {@link #pause}. So what happens between two waits is
 * drawn by the world, and is the same each time. Signals of conditions mean nothing here,
 * as a wait may end at any time.
 */
public final class Turns implements Clock {

    /** Work of the world while its own thread waits. */
    @FunctionalInterface
    public interface Meanwhile {

        /** Lets something happen, or time pass. */
        void act(long deadlineNanos);
    }

    /** The time of the world. */
    @FunctionalInterface
    public interface Time {
        long nanos();
    }

    /** The process is gone; nothing in it runs on. */
    @SuppressWarnings("serial") // never serialised
    public static final class Gone extends Error {
        private Gone() {
            super("gone", null, false, false);
        }
    }

    /** A thread that takes turns with the world's. */
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
                // As it should.
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

        /** Returns the exception that it has thrown, or null. */
        public @Nullable Throwable failure() {
            return failure;
        }

        /** Lets it run until it waits. The world's thread. */
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

        /** Has its next wait end with an interrupt. */
        void interrupt() {
            interrupted = true;
        }

        /** Ends it where it waits. */
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

    /** The work of a strand. */
    @FunctionalInterface
    public interface Body {
        void run() throws InterruptedException;
    }

    private final Semaphore world = new Semaphore(0);
    private final Time time;
    private final Meanwhile meanwhile;

    /** The one whose turn it is; null if it is the world's. */
    private volatile @Nullable Strand running;

    /** Creates the turns of a process whose world has this time. */
    public Turns(Time time, Meanwhile meanwhile) {
        this.time = time;
        this.meanwhile = meanwhile;
    }

    Strand strand(String name, Body body) {
        return new Strand(name, body);
    }

    /** Lets the world do something else, if it is a strand that calls. */
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
