package dev.weir.stream.control;

/**
 * The number of elements a source of a running pipeline gives out in a second, to be read and changed. Found by {@link
 * dev.weir.stream.RunningPipeline#handles}. Each Kafka source has one, but for sources of single partitions, those that
 * share a consumer, and share groups. Thread-safe, valid for as long as the pipeline.
 *
 * <pre>{@code
 * for (RateControl source : running.handles(RateControl.class)) {
 *     source.perSecond(1_000);
 * }
 * }</pre>
 */
public interface RateControl extends Pace {

    /**
     * Gives out at most {@code elements} a second from now on. What is not given out stays where it was fetched to:
     * nothing is lost or given out twice, and it goes back to the group like all that was not pulled. A twentieth of
     * a second's worth may come at once. A limit holds through a drain, too.
     *
     * @param elements at least 1, or 0 for no limit
     * @throws IllegalArgumentException if it is negative
     */
    void perSecond(long elements);
}
