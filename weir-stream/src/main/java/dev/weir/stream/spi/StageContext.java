package dev.weir.stream.spi;

import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The run as seen by a source or sink, which gets it when the run is assembled. Thread-safe once the pipeline runs. */
public interface StageContext {

    /** The pipeline's name, for threads and messages. */
    String pipelineName();

    /** The stage's name in snapshots. */
    String stageName();

    /** The clock that the run waits by. */
    default Clock clock() {
        return Clock.SYSTEM;
    }

    /** The meter of this stage. */
    StageMeter meter();

    /** Registers a gauge of the elements that wait inside the stage. */
    void depth(IntSupplier elements);

    /**
     * Registers an action that stops the source, so that the pipeline drains: afterwards the source emits its remaining
     * committed elements, then its {@code pull} returns null. Runs on any thread, at most once, and must not block.
     */
    void onStop(Runnable stop);

    /**
     * Registers a resource that must be closed after all stages have ended and before the pipeline counts as complete,
     * in reverse order of registration.
     */
    void onTermination(Termination termination);

    /** Exposes an object to holders of the running pipeline; see {@link dev.weir.stream.RunningPipeline#handles}. */
    void expose(Object handle);

    /** Fails the whole pipeline from a thread that belongs to the source or sink. */
    void fail(Throwable cause);

    /**
     * Searches the stages below for an element of this source, each under its own lock. Returns null if no stage has
     * it: it was never pulled, is finished, or is in flight between two stages. The search is expensive: use it to
     * diagnose a stuck pipeline, not every second. Any thread.
     */
    default @Nullable Whereabouts find(AckTarget target, long token) {
        return null;
    }

    /**
     * Registers a supplier of the reason why the stage makes no progress: a sentence, or an empty string. Any thread
     * calls it; it must not block.
     */
    default void trouble(Supplier<String> sentence) {}

    /** Returns the reasons that stages of this run report, each prefixed with the name of its stage. Any thread. */
    default List<String> troubles() {
        return List.of();
    }

    /**
     * Makes the stages below drop elements that a source has lost. Waiting elements are dropped; stages that wait with
     * an element in hand check it again. Call after {@link AckTarget#isRevoked} has become true for them. Any thread;
     * never blocks.
     */
    default void dropRevoked() {}

    /** The failure of the pipeline, or null as long as there is none. A cancellation counts as a failure. */
    default @Nullable Throwable failure() {
        return null;
    }

    /** Closes a resource that outlives the stages: a consumer that commits, a producer. */
    @FunctionalInterface
    interface Termination {

        /**
         * Closes the resource.
         *
         * @param patience longest wait for pending acknowledgements
         * @return a description of the work left undone, or an empty string
         */
        String close(Duration patience);
    }

    /**
     * A termination that may wait long for pending acknowledgements. In a substream it continues while the run does;
     * the end of the run shortens its wait. Other terminations are closed there without a wait.
     */
    interface PatientTermination extends Termination {

        /** Limits the patience of a current or later close to this, from now on. Any thread; never blocks. */
        void hurry(Duration patience);
    }
}
