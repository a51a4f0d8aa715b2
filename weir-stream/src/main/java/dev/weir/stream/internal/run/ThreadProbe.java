package dev.weir.stream.internal.run;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.function.BooleanSupplier;

/**
 * The question whether a stream within the stream has threads of its own, answered by a stream that is built, looked at
 * and closed, and never run. Confined to the thread that asks.
 *
 * <p><b>Why.</b> {@code groupBy} pulls the streams of its keys on its own thread, one after the other, until each has
 * nothing more: a key costs no thread, and 100,000 keys are possible. A stream that has threads of its own, by
 * {@code async} or {@code mapBlocking} say, cannot be pulled like that: it would have to wait for elements which only
 * the waiting thread can bring. Such streams get a queue and a segment each. Which of the two a user's function makes
 * is known only when it has been built, because the blueprint of a stage is the function that builds it.
 *
 * <p><b>How.</b> {@link #hasThreads} builds one more stream than the stage needs, with an assembly that knows this
 * probe.
 * <pre>
 *   Nest.build(branch, probe) -&gt; are there segments? ------------------------------&gt; yes: threads
 *                             -&gt; did a stage note streams of its own with threads? -&gt; yes: threads
 *                             -&gt; close all that was built
 * </pre>
 *
 * <p><b>What must not be noticed of it.</b> No thread starts, as segments start after the building. Nothing of the
 * user's is made or called. Three places see to that, and a new stage needs none of them unless its building has an
 * effect outside:
 * <ul>
 *   <li>{@link RunAssembly#source(java.util.function.Supplier)} makes no source; sinks are made when their segment
 * starts.
 *   <li>{@link RunAssembly#isProbe} is asked by stages that would subscribe to a publisher or tell the user of the end.
 *   <li>{@link RunAssembly#noteThreadsWithin} is called by stages whose own inner streams read their input: they are
 *       probed in turn, within this probe.
 * </ul>
 */
public final class ThreadProbe {

    private boolean threadsWithin;

    private ThreadProbe() {}

    /**
     * Returns whether a stream of this blueprint, or one that it starts for parts of its input, has threads of its own,
     * so that what it reads must make them wait.
     *
     * @param nest the place where such streams are going to run
     */
    public static <T, R> boolean hasThreads(NestedStreams nest, BlueprintBranch<T, R> branch) {
        ThreadProbe probe = new ThreadProbe();
        boolean hasSegments = nest.buildAndClose(branch, new Unused<>(), probe);
        return hasSegments || probe.threadsWithin;
    }

    /** Notes that a stage will start streams which read its input, if those have threads of their own. */
    void noteThreadsWithin(BooleanSupplier hasThreads) {
        threadsWithin |= hasThreads.getAsBoolean();
    }

    /** Stands for a stage that will never be pulled. */
    record Unused<T>() implements Stage<T> {

        @Override
        public Batch<T> pull(long deadlineNanos) {
            throw new IllegalStateException("a probe is not pulled");
        }

        @Override
        public void close() {}
    }
}
