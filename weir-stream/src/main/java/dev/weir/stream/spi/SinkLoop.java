package dev.weir.stream.spi;

/** A running sink: the loop that pulls the stream to its end. Confined to the thread of its segment. */
@FunctionalInterface
public interface SinkLoop<T> {

    /**
     * Pulls {@code upstream} until its end and acknowledges each element once it is done with it. Returns when all
     * pulled elements are finished; an exception fails the pipeline and leaves the rest unacknowledged.
     */
    void run(Stage<T> upstream) throws InterruptedException;
}
