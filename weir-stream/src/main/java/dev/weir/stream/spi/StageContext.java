package dev.weir.stream.spi;

import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A source's or sink's view of its run. Thread-safe once the pipeline is running. */
public interface StageContext {

    /** Name of the pipeline, used in thread names and messages. */
    String pipelineName();

    /** Name of the stage in snapshots. */
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
     * Registers an action that stops the source, so that the pipeline can drain. Afterwards, the source's {@code pull}
     * returns the remaining elements, and then null. The action is called at most once, on any thread, and must not
     * block.
     */
    void onStop(Runnable stop);

    /**
     * Registers a resource to close after all stages have ended and before the pipeline completes. Resources are closed
     * in reverse order of registration.
     */
    void onTermination(Termination termination);

    /** Exposes an object to users of the running pipeline. See {@link dev.weir.stream.RunningPipeline#handles}. */
    void expose(Object handle);

    /**
     * Exposes an object for a resource of this stage, such as a consumer. In a substream, the object is withdrawn when
     * the resource is closed.
     */
    default void exposeResource(Object handle) {
        expose(handle);
    }

    /**
     * Returns the exposed objects of a type from the stages upstream of this one. Does not include sources of streams
     * that start during the run.
     */
    default <H> List<H> upstreamHandles(Class<H> type) {
        return List.of();
    }

    /** Returns whether the stage belongs to a stream that starts during the run, such as the stream of a group. */
    default boolean isOfInnerStream() {
        return false;
    }

    /** Fails the entire pipeline. For failures on threads of the source or sink. */
    void fail(Throwable cause);

    /**
     * Searches the downstream stages for an element of this source, locking one stage at a time. Returns null if the
     * element was never pulled, is finished, or is moving between two stages. Expensive: for diagnosing a stuck
     * pipeline. May be called from any thread.
     */
    default @Nullable Whereabouts find(AckTarget target, long token) {
        return null;
    }

    /**
     * Registers a supplier of the reason why the stage makes no progress: a sentence, or an empty string if there is
     * none. It may be called from any thread and must not block.
     */
    default void trouble(Supplier<String> sentence) {}

    /**
     * Returns the current reasons why stages of this run make no progress, each with its stage's name; see
     * {@link #trouble}. May be called from any thread.
     */
    default List<String> troubles() {
        return List.of();
    }

    /**
     * Makes the downstream stages drop elements that their source no longer owns. Must be called after
     * {@link AckTarget#isRevoked} has become true for them. May be called from any thread; never blocks.
     */
    default void dropRevoked() {}

    /** The pipeline's failure or cancellation, or null. */
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
     * A termination that may wait long for pending acknowledgements. When a substream ends, this termination waits
     * until {@link #hurry} or the end of the run. Other terminations of a substream do not wait.
     */
    interface PatientTermination extends Termination {

        /**
         * Limits the wait of a current or later {@code close} to {@code patience} from now. May be called from any
         * thread; never blocks.
         */
        void hurry(Duration patience);
    }
}
