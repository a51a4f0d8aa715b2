package dev.weir.spring;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.metrics.PipelineMetrics;
import dev.weir.stream.DrainReport;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One {@link Pipeline} bean, its present or last run, and the meters of that run. Started and ended by {@link
 * WeirPipelines} under its lock or after it; its state may be read from any thread.
 */
final class PipelineBean {

    private static final Logger LOG = LoggerFactory.getLogger(WeirPipelines.class);

    private final String name;
    private final Pipeline pipeline;

    private volatile @Nullable RunningPipeline running;
    private volatile @Nullable PipelineMetrics metrics;

    PipelineBean(String name, Pipeline pipeline) {
        this.name = name;
        this.pipeline = pipeline.named(name);
    }

    String name() {
        return name;
    }

    /** The present run or the one that has ended; null before the first. */
    @Nullable
    RunningPipeline running() {
        return running;
    }

    /** Why the last run failed; null if it did not. */
    @Nullable
    Throwable failure() {
        RunningPipeline last = running;
        if (last == null || !last.completion().isDone()) {
            return null;
        }
        Throwable thrown =
                last.completion().handle((report, failure) -> failure).join();
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        return cause instanceof CancellationException ? null : cause;
    }

    boolean runs() {
        RunningPipeline last = running;
        return last != null && !last.completion().isDone();
    }

    /**
     * Runs it.
     *
     * @param ended called once the run is over, by a thread of the pipeline
     */
    void start(@Nullable MeterRegistry registry, Runnable ended) {
        closeMetrics();
        RunningPipeline started;
        try {
            started = pipeline.run();
        } catch (KafkaPipelineException refused) {
            throw new KafkaPipelineException("pipeline " + name + " did not start: " + refused.getMessage(), refused);
        }
        running = started;
        if (registry != null) {
            PipelineMetrics meters = PipelineMetrics.of(started);
            metrics = meters;
            meters.bindTo(registry);
        }
        var ignored = started.completion().whenComplete((report, thrown) -> {
            log();
            ended.run();
        });
    }

    private void log() {
        Throwable failure = failure();
        if (failure == null) {
            LOG.info("pipeline {} has ended", name);
        } else if (failure instanceof KafkaPipelineException) { // Its message says what to do.
            LOG.error("pipeline {} has failed: {}", name, failure.getMessage());
        } else {
            LOG.error("pipeline {} has failed", name, failure);
        }
    }

    /** Drains the run that there is, says in the log what is left undone, and removes its meters. */
    void end(Duration deadline) {
        try {
            RunningPipeline last = running;
            if (last != null && !last.completion().isDone()) {
                drain(last, deadline);
            }
        } finally {
            closeMetrics();
        }
    }

    private void drain(RunningPipeline last, Duration deadline) {
        try {
            DrainReport report = last.drain(deadline);
            if (!report.drained()) {
                LOG.warn(
                        "pipeline {} was stopped with work left undone: {}",
                        name,
                        String.join("; ", report.leftUndone()));
            }
        } catch (InterruptedException e) { // Nobody interrupts the threads that drain, as nobody knows them.
            last.cancel();
            Thread.currentThread().interrupt();
        }
    }

    private void closeMetrics() {
        PipelineMetrics meters = metrics;
        metrics = null;
        if (meters != null) {
            meters.close();
        }
    }
}
