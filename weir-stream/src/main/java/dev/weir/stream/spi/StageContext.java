package dev.weir.stream.spi;

import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The context in which a source or sink runs. The pipeline passes it to the source or sink when the run is assembled.
 * Thread-safe once the pipeline is running.
 */
public interface StageContext {

    /** The pipeline's name, used in thread names and messages. */
    String pipelineName();

    /** The stage's name in snapshots. */
    String stageName();

    /** The clock that the run uses for waiting. */
    default Clock clock() {
        return Clock.SYSTEM;
    }

    /** The meter of this stage. */
    StageMeter meter();

    /** Registers a gauge of the number of elements queued inside the stage. */
    void depth(IntSupplier elements);

    /**
     * Registers an action that stops the source, so that the pipeline can drain. After the action, the source's
     * {@code pull} returns the elements that must still be emitted, and then null. The action is called at most once,
     * may be called on any thread, and must not block.
     */
    void onStop(Runnable stop);

    /**
     * Registers a resource that must be closed after all stages have ended and before the pipeline counts as complete.
     * Resources are closed in reverse order of registration.
     */
    void onTermination(Termination termination);

    /** Exposes an object to users of the running pipeline. See {@link dev.weir.stream.RunningPipeline#handles}. */
    void expose(Object handle);

    /**
     * Exposes an object, as {@link #expose} does, through which users inspect or control a resource of this stage, such
     * as a consumer. If the stage belongs to a substream, the object is withdrawn once the substream has ended and its
     * resources are closed. Otherwise, users would mistake the ended resource for one that has failed, and each restart
     * of part of the stream would add an object.
     */
    default void exposeResource(Object handle) {
        expose(handle);
    }

    /**
     * Returns the exposed objects of a type that belong to stages upstream of this one. A new stage that cannot work
     * downstream of some of them can refuse to be created. Sources of streams that start during the run are not
     * included.
     */
    default <H> List<H> upstreamHandles(Class<H> type) {
        return List.of();
    }

    /**
     * Returns whether the stage belongs to a stream that starts during the run, such as the stream of a group. A run
     * may have any number of these streams.
     */
    default boolean isOfInnerStream() {
        return false;
    }

    /** Fails the entire pipeline. Meant for failures on threads that belong to the source or sink. */
    void fail(Throwable cause);

    /**
     * Searches the downstream stages for an element of this source, locking one stage at a time. Returns null if no
     * stage holds the element, because it was never pulled, is finished, or is moving between two stages. The search is
     * expensive: use it to diagnose a stuck pipeline, not for regular monitoring. May be called from any thread.
     */
    default @Nullable Whereabouts find(AckTarget target, long token) {
        return null;
    }

    /**
     * Registers a supplier that explains a lack of progress. The supplier returns a sentence that says why the stage is
     * making no progress, or an empty string if there is nothing to explain. It may be called from any thread and must
     * not block.
     */
    default void trouble(Supplier<String> sentence) {}

    /**
     * Returns the explanations for a lack of progress that the stages of this run currently give; see {@link #trouble}.
     * Each explanation is prefixed with the name of its stage. May be called from any thread.
     */
    default List<String> troubles() {
        return List.of();
    }

    /**
     * Makes the downstream stages drop elements that their source no longer owns. Stages remove such elements from
     * their queues, and a stage that waits while it holds an element checks whether the source still owns that element.
     * Must be called after {@link AckTarget#isRevoked} has become true for these elements. May be called from any
     * thread; never blocks.
     */
    default void dropRevoked() {}

    /** The pipeline's failure, or null if it has not failed. A cancellation counts as a failure. */
    default @Nullable Throwable failure() {
        return null;
    }

    /** Closes a resource that outlives the stages, such as a producer, or a consumer that commits offsets. */
    @FunctionalInterface
    interface Termination {

        /**
         * Closes the resource.
         *
         * @param patience maximum time to wait for pending acknowledgements
         * @return a description of the unfinished work, or an empty string
         */
        String close(Duration patience);
    }

    /**
     * A termination that may wait a long time for pending acknowledgements. When a substream ends, its patient
     * terminations keep waiting until {@link #hurry} shortens the wait, at the latest when the run ends. All other
     * terminations of a substream are closed without waiting.
     */
    interface PatientTermination extends Termination {

        /**
         * Limits the wait of {@code close} to {@code patience}, measured from now. Applies whether {@code close} is
         * already running or is called later. May be called from any thread; never blocks.
         */
        void hurry(Duration patience);
    }
}
