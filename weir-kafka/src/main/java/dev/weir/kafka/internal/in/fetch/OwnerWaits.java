package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.stream.spi.JvmExit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Lets a consumer's owner thread wait for records and signals. Any thread may call {@link #wake}, which ends every
 * wait. Unless noted otherwise, only the owner thread may call the other methods.
 *
 * <p>A signal wakes the fetcher only during a poll. At any other time, a wake-up would end an unrelated commit or query
 * of the client, so the signal ends the next poll instead.
 */
public final class OwnerWaits {

    private static final ConsumerLog LOG = ConsumerLog.of(OwnerWaits.class);
    private static final long ERROR_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final RecordFetcher fetcher;
    private final OwnerClock clock;

    private volatile boolean signalled;
    private volatile boolean polling;

    /**
     * True if {@link #wake} was called since a callback last cleared this flag. Callbacks must not clear
     * {@link #signalled}, which belongs to the owner thread's main loop.
     */
    private volatile boolean callbackSignalled;

    private volatile @Nullable Thread owner;

    public OwnerWaits(RecordFetcher fetcher, OwnerClock clock) {
        this.fetcher = fetcher;
        this.clock = clock;
    }

    /** Ends the owner thread's current or next wait. May be called from any thread. */
    public void wake() {
        signalled = true;
        callbackSignalled = true;
        if (polling) {
            fetcher.wakeup();
        }
        LockSupport.unpark(owner);
    }

    /** Makes the calling thread the owner thread. */
    public void own() {
        owner = Thread.currentThread();
    }

    /** Waits until the owner thread has terminated. Call only once its work is done. May be called from any thread. */
    public void awaitOwnerGone() {
        Thread thread = owner;
        if (thread == null || thread == Thread.currentThread()) {
            return;
        }
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether the owner thread has called {@link System#exit}. It then does nothing more. */
    public boolean isOwnerExiting() {
        Thread thread = owner;
        return thread != null && JvmExit.isExiting(thread);
    }

    /** Clears the signal. The caller must then check everything that may have raised it. */
    public void clearSignal() {
        signalled = false;
    }

    /** Polls once. Returns no records after a timeout, a signal or a retriable error. */
    public FetchResult poll(long nanos) {
        polling = true;
        try {
            // A later signal finds `polling` set and wakes the fetcher.
            return fetcher.poll(signalled ? 0 : Math.max(0, nanos));
        } catch (WakeupException woken) {
            return FetchResult.none();
        } catch (RetriableException passing) {
            LOG.warn("poll failed, trying again: {}", passing.toString());
            pause();
            return FetchResult.none();
        } finally {
            polling = false;
        }
    }

    /**
     * Waits until a signal arrives or the pause has passed. An earlier signal may end a park immediately, so this
     * method parks in a loop.
     */
    private void pause() {
        long end = clock.nanoTime() + ERROR_PAUSE_NANOS;
        for (long left = ERROR_PAUSE_NANOS; left > 0 && !signalled; left = end - clock.nanoTime()) {
            clock.park(left);
        }
    }

    /** Runs the body of a callback that the client calls within a poll. */
    public void inCallback(Runnable body) {
        boolean wasPolling = polling;
        polling = false;
        try {
            body.run();
        } finally {
            polling = wasPolling;
            if (wasPolling && signalled) {
                fetcher.wakeup();
            }
        }
    }

    /**
     * Clears the flag that ends waits within a callback. The caller must then check everything that may have raised a
     * signal.
     */
    public void clearCallbackSignal() {
        callbackSignalled = false;
    }

    public boolean isCallbackSignalled() {
        return callbackSignalled;
    }

    /**
     * Fetches within a callback, without serving the group. Waits for records or a signal, at most {@code nanos}. Call
     * only if {@link RecordFetcher#canFetchOnly} returns true.
     */
    public FetchResult fetchOnly(long nanos) {
        polling = true;
        try {
            // A later signal finds `polling` set and wakes the fetcher.
            return fetcher.fetchOnly(callbackSignalled ? 0 : nanos);
        } finally {
            polling = false;
        }
    }

    public void park(long nanos) {
        clock.park(nanos);
    }
}
