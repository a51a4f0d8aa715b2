package dev.weir.stream.spi;

/** A running sink: the loop that pulls a pipeline empty. Confined to the thread of its segment. */
@FunctionalInterface
public interface SinkLoop<T> {

    /**
     * Pulls {@code upstream} until its end and acknowledges each element once it is done with it. Returns when all that
     * it pulled is finished; an exception fails the pipeline and leaves the rest unacknowledged.
     */
    void run(Stage<T> upstream) throws InterruptedException;
}
