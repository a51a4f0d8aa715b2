package dev.weir.stream.spi;

import org.jspecify.annotations.Nullable;

/**
 * A running operator or source: the stage below pulls batches from it. Confined to the thread of its segment.
 *
 * <p>Protocol: call {@link #pull} until it returns null or throws, then {@link #close} once in any case. A
 * {@code close} before the end means that the stage below wants no more elements.
 */
public interface Stage<T> {

    /** A deadline that never comes. */
    long NEVER = Long.MAX_VALUE;

    /**
     * Returns the next batch, which then belongs to the caller, or an empty one once {@code deadlineNanos} has passed.
     *
     * @param deadlineNanos a time of the run's {@link Clock}, or {@link #NEVER}
     * @return null at the end of the stream
     * @throws InterruptedException if the pipeline is being cancelled
     */
    @Nullable
    Batch<T> pull(long deadlineNanos) throws InterruptedException;

    /**
     * Releases the elements and resources of the stage and closes the stage above it. Does not acknowledge anything.
     */
    void close();
}
