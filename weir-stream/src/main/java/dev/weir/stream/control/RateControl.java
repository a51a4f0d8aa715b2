package dev.weir.stream.control;

/**
 * Reads and changes the number of elements per second that a source of a running pipeline emits. Found by
 * {@link dev.weir.stream.RunningPipeline#handles}. Each Kafka source has one, except sources of single partitions,
 * several pipelines on one consumer, and share groups. Thread-safe, valid for as long as the pipeline.
 *
 * <pre>{@code
 * for (RateControl source : running.handles(RateControl.class)) {
 *     source.perSecond(1_000);
 * }
 * }</pre>
 */
public interface RateControl extends Pace {

    /**
     * Emits at most {@code elements} per second from now on. Other elements stay in the buffer: nothing is lost or
     * emitted twice, and on revocation they return to the group like all buffered elements. Bursts of up to a twentieth
     * of a second's worth are possible. The limit also applies during a drain.
     *
     * @param elements at least 1, or 0 for no limit
     * @throws IllegalArgumentException if it is negative
     */
    void perSecond(long elements);
}
