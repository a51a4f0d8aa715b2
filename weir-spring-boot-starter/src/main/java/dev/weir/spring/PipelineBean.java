package dev.weir.spring;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.metrics.DispatcherMetrics;
import dev.weir.metrics.PipelineMetrics;
import dev.weir.stream.DrainReport;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.spi.Thrown;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContextException;

/**
 * One {@link Pipeline} bean with its current or last run, the run's meters, and its console. {@link WeirPipelines}
 * holds its lock while it starts a run, but not while it stops one. Any thread may read the state.
 */
final class PipelineBean {

    private static final Logger LOG = LoggerFactory.getLogger(WeirPipelines.class);

    private final String name;
    private final Pipeline pipeline;
    private final PipelineConsole console;
    private final boolean hasPartitionMeters;

    private volatile @Nullable RunningPipeline running;
    private volatile @Nullable PipelineMetrics metrics;

    /** The run that {@link #end} stopped last. Its cancellation after a drain timeout is not a failure. */
    private volatile @Nullable RunningPipeline ended;

    PipelineBean(String name, Pipeline pipeline, PipelineConsole console, boolean hasPartitionMeters) {
        this.name = name;
        this.pipeline = pipeline.named(name);
        this.console = console;
        this.hasPartitionMeters = hasPartitionMeters;
    }

    String name() {
        return name;
    }

    @Nullable
    RunningPipeline running() {
        return running;
    }

    /** Returns the reason why the last run failed, or null if it did not fail. */
    @Nullable
    Throwable failure() {
        RunningPipeline last = running;
        if (last == null || !last.hasEnded()) {
            return null;
        }
        return failure(
                last, last.completion().handle((report, thrown) -> thrown).join());
    }

    private @Nullable Throwable failure(RunningPipeline run, @Nullable Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        return cause instanceof CancellationException && run == ended ? null : cause;
    }

    boolean runs() {
        RunningPipeline last = running;
        return last != null && !last.hasEnded();
    }

    /**
     * Starts a run.
     *
     * @param over called by a thread of the pipeline when the run has ended
     * @throws KafkaPipelineException if the run is refused because of the application's settings
     */
    void start(@Nullable MeterRegistry registry, Runnable over) {
        closeMetrics();
        RunningPipeline started;
        try {
            started = pipeline.run();
        } catch (RuntimeException failure) {
            String told = "pipeline " + name + " did not start: " + RefusalAnalyzer.reasons(failure);
            throw RefusalAnalyzer.isRefusal(failure)
                    ? new KafkaPipelineException(told, failure)
                    : new ApplicationContextException(told, failure);
        }
        running = started;
        var ignored = started.completion().whenComplete((report, thrown) -> {
            log(failure(started, thrown));
            over.run();
        });
        if (registry != null) {
            PipelineMetrics meters = PipelineMetrics.of(started);
            bind(hasPartitionMeters ? meters.withPartitionTags() : meters, registry);
        }
        console.show(started);
    }

    PipelineConsole console() {
        return console;
    }

    /** Binds the meters. If the application's registry rejects a meter, the pipeline runs without meters. */
    private void bind(PipelineMetrics meters, MeterRegistry registry) {
        metrics = meters;
        try {
            DispatcherMetrics.of().bindTo(registry);
            meters.bindTo(registry);
        } catch (RuntimeException refused) {
            LOG.warn("pipeline {} runs without meters: they cannot be bound", name, refused);
            closeMetrics();
        }
    }

    private void log(@Nullable Throwable failure) {
        if (failure == null) {
            LOG.info("pipeline {} has ended", name);
        } else if (failure instanceof KafkaPipelineException && Thrown.cause(failure) == null) {
            // The message says what to do, so it needs no stack trace.
            LOG.error("pipeline {} has failed: {}", name, Thrown.message(failure));
        } else {
            LOG.error("pipeline {} has failed", name, failure);
        }
    }

    /** Drains the current run, logs unfinished work, and removes its meters and console. */
    void end(Duration deadline) {
        try {
            RunningPipeline last = running;
            if (last != null && !last.hasEnded()) {
                ended = last;
                drain(last, deadline);
            }
        } finally {
            closeMetrics();
            console.close();
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
        } catch (InterruptedException e) {
            // This should not happen: nothing interrupts the threads that drain pipelines.
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
