package dev.weir.stream;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A pipeline that runs. It owns its threads: when {@link #completion} is done none is left. Thread-safe.
 *
 * <p>It ends when its sources are exhausted, when it was told to {@link #drain} or {@link #stop}, when a stage failed,
 * or when it was cancelled. In the first two cases everything that was emitted is finished and acknowledged.
 */
public interface RunningPipeline extends AutoCloseable {

    /** The time {@link #close} gives a drain: 30 seconds. */
    Duration DEFAULT_DRAIN = Duration.ofSeconds(30);

    /** The time the JVM's end waits, after a drain, for threads that called {@link #await} to end: 3 seconds. */
    Duration LINGER = Duration.ofSeconds(3);

    String name();

    /**
     * The end of the pipeline, resources closed and final commits made. Completes exceptionally with what the first
     * failing stage threw, or with {@link java.util.concurrent.CancellationException} after {@link #cancel}. Completing
     * or cancelling the future itself does nothing to the pipeline.
     */
    CompletableFuture<DrainReport> completion();

    /**
     * Waits for the end and returns the report, or throws the failure of the pipeline.
     *
     * @throws IllegalStateException if a stage of the pipeline calls it, which would wait for itself
     */
    DrainReport await() throws InterruptedException;

    /** Ends emission and returns at once; emitted elements are finished, however long it takes. */
    void stop();

    /**
     * Ends emission, waits until the emitted elements are finished, and cancels those that are not by the deadline.
     * After the end it returns the report at once.
     *
     * @param deadline from now; cancels at once if it is not more than 0
     * @return the report, with the work left undone; also after a failure
     * @throws IllegalStateException if a stage of the pipeline calls it, which would wait for itself: there call
     *     {@link #stop}
     */
    DrainReport drain(Duration deadline) throws InterruptedException;

    /**
     * Lets the end of the JVM (Ctrl-C, SIGTERM, {@code System.exit}) drain the pipeline first, for at most
     * {@link #DEFAULT_DRAIN}. See {@link #drainOnShutdown(Duration)}.
     *
     * @return this pipeline
     */
    default RunningPipeline drainOnShutdown() {
        return drainOnShutdown(DEFAULT_DRAIN);
    }

    /**
     * Lets the end of the JVM drain the pipeline first, for at most {@code deadline}, and then cancel what is not
     * finished. For platforms that kill a process some seconds after SIGTERM: the last commit and the leave of a group
     * come after the deadline and before the kill. The JVM waits at most 23 s for them, and for a stage that does not
     * let go. It does not wait for a thread of the pipeline that called {@code System.exit}, which cannot return: the
     * element that it has in hand is not finished.
     *
     * <p>Afterwards the threads that wait in {@link #await} have up to {@link #LINGER} to return and to end, so that
     * {@code main} can print the report and close its files. The JVM halts at the latest then: what must be done at any
     * rate belongs in {@link #onDrained}.
     *
     * @param deadline from the signal; cancels at once if it is not more than 0
     * @return this pipeline
     */
    RunningPipeline drainOnShutdown(Duration deadline);

    /**
     * Calls {@code action} once with the report when the pipeline has ended, however it ended, with all its resources
     * closed; at once if it has. If the end of the JVM ends the pipeline, the JVM halts after the action, which has up
     * to {@link #LINGER}; if stages do not let go by then, it is given the report of what is undone. Actions run one
     * after the other on a thread of the pipeline. What one throws is logged.
     *
     * {@snippet :
     * running.onDrained(report -> System.out.println(report)).drainOnShutdown();
     * }
     *
     * @return this pipeline
     */
    RunningPipeline onDrained(Consumer<? super DrainReport> action);

    /** Interrupts every stage and ends as soon as they let go; unfinished elements stay unacknowledged. */
    void cancel();

    /** The stages in the order of the flow. */
    List<StageSnapshot> stages();

    /**
     * A sample of the threads of each stage, in the order of the flow; empty after the end. It asks each thread for its
     * state, of a stage with very many threads some of them: for displays, not for each record.
     */
    default List<StageSnapshot.Activity> activity() {
        return List.of();
    }

    /** The handles of the given type that sources and sinks of the pipeline expose, for instance a consumer's. */
    <H> List<H> handles(Class<H> type);

    /**
     * The result that a sink of this pipeline makes of the elements. Completes when the sink is done, perhaps before
     * the pipeline is; if the sink does not get that far, with the failure that ended the pipeline. Completing or
     * cancelling the future itself does nothing to the pipeline.
     *
     * @param key the sink: a {@link ResultSink}
     * @throws IllegalArgumentException if the sink does not stand in this pipeline, or more than once
     */
    <R> CompletableFuture<R> result(ResultKey<R> key);

    /**
     * Drains for {@link #DEFAULT_DRAIN}, then cancels. Does not throw the failure of the pipeline. As {@link #drain},
     * not for stages of the pipeline.
     */
    @Override
    void close();
}
