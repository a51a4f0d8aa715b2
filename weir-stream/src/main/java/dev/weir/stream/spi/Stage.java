package dev.weir.stream.spi;

import org.jspecify.annotations.Nullable;

/**
 * A running operator or source, from which the downstream stage pulls batches. Confined to the thread of the stages
 * fused to it.
 *
 * <p>Protocol: call {@link #pull} until it returns null or throws, and then, in any case, call {@link #close} once.
 * Calling {@code close} before the end means that the downstream stage needs no more elements.
 */
public interface Stage<T> {

    /** A deadline that never passes. */
    long NEVER = Long.MAX_VALUE;

    /**
     * Returns the next batch, which then belongs to the caller, or an empty batch at the deadline.
     *
     * @param deadlineNanos a time of the run's {@link Clock}, or {@link #NEVER}
     * @return null at the end of the stream
     * @throws InterruptedException if the pipeline is being cancelled
     */
    @Nullable
    Batch<T> pull(long deadlineNanos) throws InterruptedException;

    /** Releases the elements and resources of the stage, and closes its upstream stage. Acknowledges nothing. */
    void close();
}
