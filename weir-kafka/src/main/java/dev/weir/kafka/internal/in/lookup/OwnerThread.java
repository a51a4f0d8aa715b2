package dev.weir.kafka.internal.in.lookup;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The thread that owns a consumer's client, as seen by the consumer's components. */
public interface OwnerThread extends Executor {

    /** Runs the request on the owner thread, unless the consumer is closed first. May be called from any thread. */
    @Override
    void execute(Runnable request);

    /** Wakes the owner thread. May be called from any thread. */
    void wake();

    /** Returns the consumer's current phase. May be called from any thread. */
    ConsumerPhase phase();

    /** Returns whether records may still be emitted. May be called from any thread. */
    default boolean isEmitting() {
        return phase() == ConsumerPhase.RUNNING;
    }

    /** Fails the pipelines that read from this consumer. May be called from any thread. */
    void fail(Throwable failure);

    /**
     * Returns {@code nanos}, limited to the remaining close timeout after a close request. Must be called on the owner
     * thread.
     */
    long withinPatience(long nanos);

    /**
     * Waits until {@code done} completes. Returns false if the consumer ends first. Must not be called on the owner
     * thread.
     */
    boolean awaitOrEnd(CompletableFuture<?> done);
}
