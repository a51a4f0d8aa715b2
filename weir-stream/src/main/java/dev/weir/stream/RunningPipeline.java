package dev.weir.stream;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A running pipeline. It owns its threads: none is left when {@link #completion} is done. Thread-safe.
 *
 * <p>It ends when its sources are exhausted, after {@link #drain} or {@link #stop}, when a stage fails, or after
 * {@link #cancel}. In the first two cases everything that was emitted is finished and acknowledged.
 */
public interface RunningPipeline extends AutoCloseable {

    /** The deadline that {@link #close} gives a drain: 30 seconds. */
    Duration DEFAULT_DRAIN = Duration.ofSeconds(30);

    /** The time that JVM shutdown waits, after a drain, for threads that called {@link #await} to end: 3 seconds. */
    Duration LINGER = Duration.ofSeconds(3);

    String name();

    /**
     * A future that completes when the pipeline has ended, with its resources closed and final commits made. Completes
     * exceptionally with the exception of the first failing stage, or with
     * {@link java.util.concurrent.CancellationException} after {@link #cancel}. Completing or cancelling the future
     * itself does nothing to the pipeline.
     */
    CompletableFuture<DrainReport> completion();

    /**
     * Waits for the end and returns the report, or throws the failure of the pipeline.
     *
     * @throws IllegalStateException if called by a stage of the pipeline, which would wait for itself
     */
    DrainReport await() throws InterruptedException;

    /** Stops the sources and returns at once; emitted elements are finished, however long it takes. */
    void stop();

    /**
     * Stops the sources, waits until the emitted elements are finished, and cancels those unfinished at the deadline.
     * After the end of the pipeline it returns the report at once.
     *
     * @param deadline from now; cancels at once if it is not more than 0
     * @return the report, with the work left undone; also after a failure
     * @throws IllegalStateException if called by a stage of the pipeline, which would wait for itself: call
     *     {@link #stop} there
     */
    DrainReport drain(Duration deadline) throws InterruptedException;

    /**
     * Drains the pipeline on JVM shutdown (Ctrl-C, SIGTERM, {@code System.exit}), for at most {@link #DEFAULT_DRAIN}.
     * See {@link #drainOnShutdown(Duration)}.
     *
     * @return this pipeline
     */
    default RunningPipeline drainOnShutdown() {
        return drainOnShutdown(DEFAULT_DRAIN);
    }

    /**
     * Drains the pipeline on JVM shutdown, for at most {@code deadline}, and then cancels unfinished elements. For
     * platforms that kill a process some seconds after SIGTERM: the last commit and leaving the group must fit between
     * the deadline and the kill. The JVM waits at most 23 s for them, and for a stage that does not react. It does not
     * wait for a thread of the pipeline that called {@code System.exit}, which cannot return: the element in hand there
     * is not finished.
     *
     * <p>Afterwards threads that wait in {@link #await} have up to {@link #LINGER} to return and end, so that
     * {@code main} can print the report and close its files. Then the JVM halts: put essential work in
     * {@link #onDrained}.
     *
     * @param deadline from the signal; cancels at once if it is not more than 0
     * @return this pipeline
     */
    RunningPipeline drainOnShutdown(Duration deadline);

    /**
     * Calls {@code action} once with the report when the pipeline has ended in any way and its resources are closed; at
     * once if it has ended already. During JVM shutdown the action has up to {@link #LINGER} before the JVM halts; if
     * stages do not react by then, its report lists the work left undone. Actions run one after the other on a thread
     * of the pipeline. Their exceptions are logged.
     *
     * {@snippet :
     * running.onDrained(report -> System.out.println(report)).drainOnShutdown();
     * }
     *
     * @return this pipeline
     */
    RunningPipeline onDrained(Consumer<? super DrainReport> action);

    /** Interrupts every stage and ends as soon as they return; unfinished elements stay unacknowledged. */
    void cancel();

    /** The stages in the order of the flow. */
    List<StageSnapshot> stages();

    /**
     * A sample of the threads of each stage, in the order of the flow; empty after the end. It samples the state of
     * each thread (only some, in a stage with very many), so use it for displays, not per record.
     */
    default List<StageSnapshot.Activity> activity() {
        return List.of();
    }

    /** The handles of this type that sources and sinks expose, for instance a consumer's. */
    <H> List<H> handles(Class<H> type);

    /**
     * The result of a sink of this pipeline. Completes when the sink is done, possibly before the pipeline; otherwise
     * fails with the failure that ended the pipeline. Completing or cancelling the future itself does nothing to the
     * pipeline.
     *
     * @param key the sink: a {@link ResultSink}
     * @throws IllegalArgumentException if this pipeline does not contain the sink exactly once
     */
    <R> CompletableFuture<R> result(ResultKey<R> key);

    /**
     * Drains for {@link #DEFAULT_DRAIN}, then cancels. Does not throw the failure of the pipeline. Like {@link #drain},
     * must not be called by a stage of the pipeline.
     */
    @Override
    void close();
}
