package dev.weir.stream.control;

/**
 * Reads and changes the number of elements per second that a source of a running pipeline emits. Returned by
 * {@link dev.weir.stream.RunningPipeline#handles}. Every Kafka source has one, with three exceptions: single-partition
 * sources, share groups, and sources in several pipelines on one consumer. Thread-safe. Valid while the pipeline runs.
 *
 * <pre>{@code
 * for (RateControl source : running.handles(RateControl.class)) {
 *     source.perSecond(1_000);
 * }
 * }</pre>
 */
public interface RateControl extends Pace {

    /**
     * Limits the source to {@code elements} per second from now on, even during a drain. Elements above the limit stay
     * in the buffer and are not lost. If a partition is revoked, its buffered elements return to the group. Bursts of
     * up to {@code elements} / 20 are possible.
     *
     * @param elements at least 1, or 0 for no limit
     * @throws IllegalArgumentException if {@code elements} is negative
     */
    void perSecond(long elements);
}
