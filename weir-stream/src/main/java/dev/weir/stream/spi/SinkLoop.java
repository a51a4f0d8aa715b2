package dev.weir.stream.spi;

/** A running sink: the loop that pulls the stream to its end. Confined to the thread of the stages fused to it. */
@FunctionalInterface
public interface SinkLoop<T> {

    /**
     * Pulls {@code upstream} until its end and acknowledges each element once the sink is done with it. Returns when
     * all pulled elements are finished. If it throws, the pipeline fails and the remaining elements stay
     * unacknowledged.
     */
    void run(Stage<T> upstream) throws InterruptedException;
}
