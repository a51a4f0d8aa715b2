package dev.weir.stream.spi;

import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A source's or sink's view of its run, which it receives when the run is assembled. Thread-safe once the pipeline is
 * running.
 */
public interface StageContext {

    /** The pipeline's name, for thread names and messages. */
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
     * Registers an action that stops the source, so that the pipeline drains: the source then emits the elements it
     * must still emit, after which its {@code pull} returns null. The action is called on any thread, at most once, and
     * must not block.
     */
    void onStop(Runnable stop);

    /**
     * Registers a resource that must be closed after all stages have ended and before the pipeline counts as complete.
     * Resources are closed in reverse order of registration.
     */
    void onTermination(Termination termination);

    /** Exposes an object to users of the running pipeline. See {@link dev.weir.stream.RunningPipeline#handles}. */
    void expose(Object handle);

    /** Fails the entire pipeline, from a thread that belongs to the source or sink. */
    void fail(Throwable cause);

    /**
     * Searches the downstream stages for an element of this source, locking one stage at a time. Returns null if no
     * stage holds the element: it was never pulled, is finished, or is between two stages. The search is expensive, so
     * use it to diagnose a stuck pipeline, not every second. May be called from any thread.
     */
    default @Nullable Whereabouts find(AckTarget target, long token) {
        return null;
    }

    /**
     * Registers a supplier that returns why the stage is making no progress: a sentence, or an empty string. It may be
     * called from any thread and must not block.
     */
    default void trouble(Supplier<String> sentence) {}

    /**
     * Returns the reasons that stages of this run report, each prefixed with the name of its stage. May be called from
     * any thread.
     */
    default List<String> troubles() {
        return List.of();
    }

    /**
     * Makes the downstream stages drop elements that their source no longer owns. Stages drop such elements from their
     * queues. A stage that is waiting while it holds an element checks that element again. Must be called after
     * {@link AckTarget#isRevoked} has become true for these elements. May be called from any thread; never blocks.
     */
    default void dropRevoked() {}

    /** The pipeline's failure, or null if it has not failed. A cancellation counts as a failure. */
    default @Nullable Throwable failure() {
        return null;
    }

    /** Closes a resource that outlives the stages, such as a consumer that commits, or a producer. */
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
     * A termination that may wait a long time for pending acknowledgements. In a substream it keeps waiting while the
     * run continues; the end of the run shortens its wait. Other terminations in a substream are closed without
     * waiting.
     */
    interface PatientTermination extends Termination {

        /**
         * Limits the patience of a current or later {@code close} to this duration, measured from now. May be called
         * from any thread; never blocks.
         */
        void hurry(Duration patience);
    }
}
