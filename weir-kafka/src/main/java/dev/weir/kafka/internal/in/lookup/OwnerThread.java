package dev.weir.kafka.internal.in.lookup;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The thread that owns a consumer's client, as seen by the consumer's parts. Each method names the threads that may
 * call it.
 */
public interface OwnerThread extends Executor {

    /** Runs the request on the owner thread soon, unless the consumer ends first. Any thread. */
    @Override
    void execute(Runnable request);

    /** Makes the owner check for changes soon. Any thread. */
    void wake();

    /** The current phase of the consumer. Any thread. */
    ConsumerPhase phase();

    /** Returns whether records are still wanted. Any thread. */
    default boolean isEmitting() {
        return phase() == ConsumerPhase.RUNNING;
    }

    /** Fails the pipelines that read from this consumer. Any thread. */
    void fail(Throwable failure);

    /** The time a wait may take; after a close request at most its remaining patience. Owner thread. */
    long withinPatience(long nanos);

    /** Waits for {@code done}, or for the end of the consumer and then returns false. Any other thread. */
    boolean awaitOrEnd(CompletableFuture<?> done);
}
