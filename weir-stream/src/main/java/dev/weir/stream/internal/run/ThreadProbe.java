package dev.weir.stream.internal.run;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.function.BooleanSupplier;

/**
 * Finds out whether a substream has threads of its own, by building, inspecting and closing one without running it.
 * Confined to the calling thread.
 *
 * <p><b>Why.</b> {@code groupBy} pulls the streams of its keys on its own thread, one after the other, until each has
 * nothing more: a key costs no thread, and 100,000 keys are possible. A stream that has threads of its own, by
 * {@code async} or {@code mapBlocking} say, cannot be pulled like that: it would wait for elements that only the
 * waiting thread can provide. Such streams get a queue and a segment each. The kind of stream that a user's function
 * makes is known only after building, because the blueprint of a stage is the function that builds it.
 *
 * <p><b>How.</b> {@link #hasThreads} builds one more stream than the stage needs, with an assembly that knows this
 * probe.
 * <pre>
 *   Nest.build(branch, probe) -&gt; are there segments? ------------------------------&gt; yes: threads
 *                             -&gt; did a stage note streams of its own with threads? -&gt; yes: threads
 *                             -&gt; close all that was built
 * </pre>
 *
 * <p><b>No side effects.</b> No thread starts, because segments start after the building. No user code is created or
 * called. Three places ensure that; a new stage needs them only if its construction has external effects:
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
     * so that its input must be queued.
     *
     * @param nest the place where such streams are going to run
     */
    public static <T, R> boolean hasThreads(NestedStreams nest, BlueprintBranch<T, R> branch) {
        ThreadProbe probe = new ThreadProbe();
        boolean hasSegments = nest.buildAndClose(branch, new Unused<>(), probe);
        return hasSegments || probe.threadsWithin;
    }

    /** Records that a stage will start streams that read its input and may have threads of their own. */
    void noteThreadsWithin(BooleanSupplier hasThreads) {
        threadsWithin |= hasThreads.getAsBoolean();
    }

    /** A placeholder for a stage that is never pulled. */
    record Unused<T>() implements Stage<T> {

        @Override
        public Batch<T> pull(long deadlineNanos) {
            throw new IllegalStateException("a probe is not pulled");
        }

        @Override
        public void close() {}
    }
}
