package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.internal.in.fetch.RecordFetcher.Fetched;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.stream.spi.JvmExit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * The owner thread's ways to wait, each of which a signal ends. {@link #wake} is thread-safe; the rest belongs to the
 * owner thread unless it says otherwise.
 *
 * <p>The fetcher is woken only while it polls. Anywhere else a wake-up would end a commit, or a question for a
 * position, that has nothing to do with it; there the signal is kept for the next poll.
 */
public final class OwnerWaits {

    private static final ConsumerLog LOG = ConsumerLog.of(OwnerWaits.class);
    private static final long ERROR_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final RecordFetcher fetcher;
    private final OwnerClock clock;

    private volatile boolean signalled;
    private volatile boolean polling;

    /** As {@link #signalled}, for what waits within a callback: the loop has to see the signal as well. */
    private volatile boolean callbackSignalled;

    private volatile @Nullable Thread owner;

    public OwnerWaits(RecordFetcher fetcher, OwnerClock clock) {
        this.fetcher = fetcher;
        this.clock = clock;
    }

    /** Makes the owner look at what has changed, soon. */
    public void wake() {
        signalled = true;
        callbackSignalled = true;
        if (polling) {
            fetcher.wakeup();
        }
        LockSupport.unpark(owner);
    }

    /** Declares the calling thread the owner. */
    public void own() {
        owner = Thread.currentThread();
    }

    /** Waits until the owner thread is gone, once it has nothing more to do but to return. Any thread. */
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

    /**
     * Returns whether the owner thread has called {@link System#exit}, at the end of the JVM: it does nothing any more.
     */
    public boolean isOwnerExiting() {
        Thread thread = owner;
        return thread != null && JvmExit.isUnderWay() && JvmExit.isCalledBy(thread);
    }

    /** Forgets signals that came so far; what they tell of must be looked at after this. */
    public void clearSignal() {
        signalled = false;
    }

    /** Polls once; no records come if nothing did in time, on a signal, and after an error that passes. */
    public Fetched poll(long nanos) {
        polling = true;
        try {
            // A signal after this look finds `polling` set and wakes the poll itself.
            return fetcher.poll(signalled ? 0 : Math.max(0, nanos));
        } catch (WakeupException woken) {
            return Fetched.none();
        } catch (RetriableException passing) {
            LOG.warn("poll failed, trying again: {}", passing.toString());
            pause();
            return Fetched.none();
        } finally {
            polling = false;
        }
    }

    /** Lasts until the next signal, not merely until a permit that an earlier one has left behind. */
    private void pause() {
        long end = clock.nanoTime() + ERROR_PAUSE_NANOS;
        for (long left = ERROR_PAUSE_NANOS; left > 0 && !signalled; left = end - clock.nanoTime()) {
            clock.park(left);
        }
    }

    /** Runs what the client calls back from within a poll. */
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

    /** Forgets signals for the wait within this callback; what they tell of must be looked at after this. */
    public void clearCallbackSignal() {
        callbackSignalled = false;
    }

    public boolean isCallbackSignalled() {
        return callbackSignalled;
    }

    /** Fetches within a callback without serving the group, if the fetcher can, and waits for records or a signal. */
    public Fetched fetchOnly(long nanos) {
        polling = true;
        try {
            // A signal after this look finds `polling` set and wakes the fetcher itself.
            return fetcher.fetchOnly(callbackSignalled ? 0 : nanos);
        } finally {
            polling = false;
        }
    }

    public void park(long nanos) {
        clock.park(nanos);
    }
}
