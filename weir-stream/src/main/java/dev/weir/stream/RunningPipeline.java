package dev.weir.stream;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A running pipeline. It owns its threads, which have all ended when {@link #completion} is done. Thread-safe.
 *
 * <p>The pipeline ends when its sources are exhausted, after {@link #drain}, {@link #stop} or {@link #cancel}, or when
 * a stage fails. If the sources are exhausted or stopped, every emitted element is finished and acknowledged first,
 * unless the deadline of a {@link #drain} passes.
 */
public interface RunningPipeline extends AutoCloseable {

    /** The drain timeout of {@link #close}: 30 seconds. */
    Duration DEFAULT_DRAIN = Duration.ofSeconds(30);

    /**
     * Time for waiting threads to return and terminate after a drain during JVM shutdown: 3 seconds. Applies to threads
     * that wait in {@link #await}, or for a future of {@link #completion} or {@link #result}.
     */
    Duration LINGER = Duration.ofSeconds(3);

    String name();

    /**
     * A future that completes when the pipeline has ended, its resources are closed, and the final commits are made. It
     * fails with the exception of the first failed stage, or with a {@link java.util.concurrent.CancellationException}
     * after {@link #cancel}. Completing or cancelling the future itself has no effect on the pipeline.
     */
    CompletableFuture<DrainReport> completion();

    /**
     * Returns whether {@link #completion} is done. Use this method to check repeatedly: the pipeline keeps every future
     * that {@code completion} has returned until it ends.
     */
    default boolean hasEnded() {
        return completion().isDone();
    }

    /**
     * Waits until the pipeline has ended and returns the report, or throws the pipeline's failure.
     *
     * @throws IllegalStateException if called by a stage of the pipeline, which would wait for itself
     */
    DrainReport await() throws InterruptedException;

    /** Stops the sources and returns immediately. Emitted elements are finished, however long that takes. */
    void stop();

    /**
     * Stops the sources and waits until the emitted elements are finished. At the deadline, cancels the unfinished
     * elements. If the pipeline has already ended, returns the report immediately.
     *
     * @param deadline measured from now; if it is not more than 0, cancels immediately
     * @return the report, which lists unfinished work; also returned after a failure
     * @throws IllegalStateException if called by a stage of the pipeline, which would wait for itself; call
     *     {@link #stop} there instead
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
     * Drains the pipeline on JVM shutdown, for at most {@code deadline}, and then cancels unfinished elements. This is
     * meant for platforms that kill a process some seconds after SIGTERM. Choose a deadline that leaves enough time for
     * the last commit and for leaving the group. After the drain, the JVM waits at most 23 s for the commit, for
     * leaving the group, and for stages that do not respond to the cancellation. The JVM does not wait for a thread of
     * the pipeline that has called {@code System.exit}.
     *
     * <p>Threads that are waiting in {@link #await}, or for a future of this pipeline, then have up to {@link #LINGER}
     * to return and terminate, so that {@code main} can print the report and close its files. After that the JVM halts,
     * so put essential work in {@link #onDrained}.
     *
     * @param deadline measured from the signal; if it is not more than 0, cancels immediately
     * @return this pipeline
     */
    RunningPipeline drainOnShutdown(Duration deadline);

    /**
     * Calls {@code action} once with the report when the pipeline has ended, normally or not, and its resources are
     * closed. If the pipeline has already ended, calls it immediately. During JVM shutdown the action has up to
     * {@link #LINGER} before the JVM halts. The report lists stages that have not responded to the shutdown as
     * unfinished work. Actions run one after the other on a thread of the pipeline. Their exceptions are logged.
     *
     * {@snippet :
     * running.onDrained(report -> System.out.println(report)).drainOnShutdown();
     * }
     *
     * @return this pipeline
     */
    RunningPipeline onDrained(Action<? super DrainReport> action);

    /** Interrupts every stage. The pipeline ends when all have returned. Unfinished elements stay unacknowledged. */
    void cancel();

    /** The counters of the stages, from upstream to downstream. */
    List<StageSnapshot> stages();

    /**
     * A sample of the threads of each stage, from upstream to downstream; empty after the end. It inspects the state of
     * each thread, or of a subset if there are very many. Intended for displays; too expensive to call for each record.
     */
    default List<StageSnapshot.Activity> activity() {
        return List.of();
    }

    /**
     * The handles of the given type, for inspecting and controlling the pipeline and its stages, such as a Kafka
     * consumer. The handle of a consumer or producer in a substream or a restarted section is removed when that part
     * has ended.
     */
    <H> List<H> handles(Class<H> type);

    /**
     * The result of a sink of this pipeline. The future completes when the sink is done. If the pipeline ends first,
     * the future fails with the pipeline's failure, or with a {@link java.util.concurrent.CancellationException}.
     * Completing or cancelling the future itself has no effect on the pipeline, which keeps it until the sink is done.
     *
     * @param key the sink, which is a {@link ResultSink}
     * @throws IllegalArgumentException if this pipeline does not contain the sink exactly once
     */
    <R> CompletableFuture<R> result(ResultKey<R> key);

    /**
     * Drains the pipeline for at most {@link #DEFAULT_DRAIN}, then cancels it. Does not throw the pipeline's failure.
     * Must not be called by a stage of the pipeline, like {@link #drain}.
     */
    @Override
    void close();
}
