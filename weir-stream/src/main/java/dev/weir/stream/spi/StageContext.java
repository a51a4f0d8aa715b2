package dev.weir.stream.spi;

import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The run as a source or sink sees it; given to it when the run is assembled. Thread-safe once the pipeline runs. */
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
     * Registers an action that ends emission, so that the pipeline drains: afterwards the source hands over the
     * elements that it promised, then its {@code pull} returns null. Runs on any thread, at most once, and must not
     * block.
     */
    void onStop(Runnable stop);

    /**
     * Registers a resource that must be closed after all stages have ended and before the pipeline counts as complete,
     * in reverse order of registration.
     */
    void onTermination(Termination termination);

    /** Shows an object to holders of the running pipeline; see {@link dev.weir.stream.RunningPipeline#handles}. */
    void expose(Object handle);

    /** Fails the whole pipeline from a thread that belongs to the source or sink. */
    void fail(Throwable cause);

    /**
     * Looks for an element of this source in the stages below it, each under its own lock; null if it is in none of
     * them: it was never pulled, is finished, or is in flight between two. Costs nothing as long as nobody asks, so it
     * is for people that want to know why a pipeline is stuck, not for every second. Any thread.
     */
    default @Nullable Whereabouts find(AckTarget target, long token) {
        return null;
    }

    /**
     * Registers what the stage says while it knows why it makes no progress: a sentence, or an empty string. Called by
     * any thread; must not block.
     */
    default void trouble(Supplier<String> sentence) {}

    /** Returns what stages of this run say of themselves, each sentence behind the name of its stage. Any thread. */
    default List<String> troubles() {
        return List.of();
    }

    /**
     * Makes the stages below drop elements that this source, or another, has lost: waiting elements are dropped, and
     * stages that wait with one in hand look at it again. To be called once {@link AckTarget#isRevoked} is true of
     * them. Does not block; any thread.
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
         * @param patience how long acknowledgements that are still under way may be waited for
         * @return the work left undone, in words, or an empty string
         */
        String close(Duration patience);
    }

    /**
     * One that may wait for long, for acknowledgements of what was emitted: of a stream within the run it goes on while
     * the run does, until the end of that makes it hurry. One that cannot be hurried is closed without patience there.
     */
    interface PatientTermination extends Termination {

        /**
         * A close that is under way, or will be, has no more patience from now on than this. Does not block; any
         * thread.
         */
        void hurry(Duration patience);
    }
}
