package dev.weir.stream.internal.run;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.function.BooleanSupplier;

/**
 * Finds out whether a substream has its own threads. The probe builds a substream, inspects it, and closes it without
 * running it. Confined to the calling thread.
 *
 * <p><b>Purpose.</b> {@code groupBy} pulls the streams of its keys on its own thread, one after the other. A key
 * therefore needs no thread, and 100,000 keys are possible. A stream with its own threads cannot be pulled in this way:
 * the pulling thread would wait for elements that only it can provide. Such a stream gets a queue and a thread. Only a
 * built stream shows whether it has its own threads.
 *
 * <p><b>Method.</b> {@link #hasThreads} builds an additional stream, with an assembly that refers to this probe.
 *
 * <pre>
 *   NestedStreams.buildAndClose -&gt; are there segments? ---------------------------------&gt; yes: threads
 *                               -&gt; did a stage report inner streams with threads? ------&gt; yes: threads
 *                               -&gt; close all that was built
 * </pre>
 *
 * <p><b>No side effects.</b> No thread is started, because threads are started only after building. No user code is
 * created or called. The following methods ensure this. A new kind of stage needs them only if creating the stage has
 * external effects.
 *
 * <ul>
 *   <li>{@link RunAssembly#source(java.util.function.Supplier)} creates no source.
 *   <li>{@link RunAssembly#isProbe} is checked before a sink is created, and by stages that would subscribe to a
 *       publisher or notify the user of the end.
 *   <li>{@link RunAssembly#noteThreadsWithin} is called by stages that pass their input to inner streams. These
 *       streams are then probed as well, within this probe.
 * </ul>
 */
public final class ThreadProbe {

    private boolean threadsWithin;

    private ThreadProbe() {}

    /**
     * Returns whether a stream of this blueprint, or an inner stream that receives its input, has its own threads. The
     * stream's input must then be queued.
     *
     * @param nested the object that will start the streams of this blueprint
     */
    public static <T, R> boolean hasThreads(NestedStreams nested, BlueprintBranch<T, R> branch) {
        ThreadProbe probe = new ThreadProbe();
        boolean hasSegments = nested.buildAndClose(branch, new Unused<>(), probe);
        return hasSegments || probe.threadsWithin;
    }

    /**
     * Reports that a stage of the probed stream passes its input to inner streams. {@code hasThreads} returns whether
     * these have their own threads.
     */
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
