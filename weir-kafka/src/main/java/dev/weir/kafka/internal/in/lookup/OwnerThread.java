package dev.weir.kafka.internal.in.lookup;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The thread that owns a consumer's client, as the consumer's parts see it. Each method says which thread may call it.
 */
public interface OwnerThread extends Executor {

    /** Runs the request on the owner thread, soon, unless the consumer ends before. Any thread. */
    @Override
    void execute(Runnable request);

    /** Makes the owner look at what has changed, soon. Any thread. */
    void wake();

    /** The phase the consumer is in. Any thread. */
    ConsumerPhase phase();

    /** Returns whether records are still wanted. Any thread. */
    default boolean isEmitting() {
        return phase() == ConsumerPhase.RUNNING;
    }

    /** Fails the pipelines that read from this consumer. Any thread. */
    void fail(Throwable failure);

    /** The time that a wait may take; after a request to close, no longer than its patience lasts. Owner thread. */
    long withinPatience(long nanos);

    /** Waits for {@code done} or the end of the consumer; false in the second case. Any other thread. */
    boolean awaitOrEnd(CompletableFuture<?> done);
}
