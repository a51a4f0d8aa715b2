package dev.weir.stream.spi;

/** A running sink: the loop that pulls the stream to its end. Confined to the thread of the stages fused to it. */
@FunctionalInterface
public interface SinkLoop<T> {

    /**
     * Pulls {@code upstream} until its end, and acknowledges each element when the sink is done with it. Returns when
     * all pulled elements are finished. An exception fails the pipeline, and the remaining elements stay
     * unacknowledged.
     */
    void run(Stage<T> upstream) throws InterruptedException;
}
