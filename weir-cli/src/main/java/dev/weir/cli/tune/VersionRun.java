package dev.weir.cli.tune;

import dev.weir.cli.console.Endpoints;
import dev.weir.cli.terminal.CliFailure;
import dev.weir.cli.terminal.CommandContext;
import dev.weir.cli.terminal.Progress;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import dev.weir.metrics.LimiterProbe;
import dev.weir.metrics.MachineLook;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One version on its way through all events. Confined to the thread of the command.
 *
 * <p>The first part of the events warms it up, the last is left out as well, since then partitions end one by one; what
 * is between is measured.
 */
final class VersionRun {
    private static final double WARM_UP = 0.4;
    private static final double MEASURED_UNTIL = 0.95;

    /** Small, so that one sees partitions pause while the pipeline is behind: as in the demo without tuning. */
    private static final int MAX_OUTSTANDING_RECORDS = 2048;

    private static final long TICK_MILLIS = 20;

    /** How long nothing may move. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration DRAIN = Duration.ofSeconds(30);

    private final CommandContext weir;
    private final Endpoints endpoints;
    private final String bootstrapServers;
    private final int events;

    // While a version runs.
    private long lastMoved;
    private long movedNanos;
    private double loads;
    private int looks;

    VersionRun(CommandContext weir, Endpoints endpoints, String bootstrapServers, int events) {
        this.weir = weir;
        this.endpoints = endpoints;
        this.bootstrapServers = bootstrapServers;
        this.events = events;
    }

    /**
     * Runs it.
     *
     * @param step its number, for its group
     * @return null if the command was told to stop
     */
    @Nullable
    Measurement run(Version version, int step, Progress progress) throws InterruptedException {
        ConsumerSettings.Builder<byte[], byte[]> consumer = ConsumerSettings.builder()
                .bootstrapServers(bootstrapServers)
                .groupId("weir-tune-" + step)
                .maxOutstandingRecords(MAX_OUTSTANDING_RECORDS);
        ProducerSettings.Builder<byte[], byte[]> producer =
                ProducerSettings.builder().bootstrapServers(bootstrapServers);
        lastMoved = -1;
        movedNanos = System.nanoTime();
        try (RunningPipeline running = version.pipeline(consumer, producer).run();
                LimiterProbe probe = LimiterProbe.start(running)) {
            endpoints.show(running, probe);
            Measurement measured = measure(version, running, probe, status(step, running, progress));
            if (measured == null || !awaitAcknowledged(running, events, status(step, running, progress))) {
                return null;
            }
            running.drain(DRAIN);
            return measured;
        }
    }

    private Runnable status(int step, RunningPipeline running, Progress progress) {
        return () -> progress.update(
                () -> "step %d: %,d of %,d events".formatted(step, acknowledged(running.stages()), events));
    }

    private @Nullable Measurement measure(
            Version version, RunningPipeline running, LimiterProbe probe, Runnable status)
            throws InterruptedException {
        if (!awaitAcknowledged(running, 1, status)) {
            return null;
        }
        Moment first = Moment.of(running);
        if (!awaitAcknowledged(running, (long) (WARM_UP * events), status)) {
            return null;
        }
        Moment warm = Moment.of(running);
        loads = 0;
        looks = 0;
        long left = (long) (MEASURED_UNTIL * events) - warm.acknowledged;
        Duration expected = Duration.ofNanos((long) (left / Math.max(1e-9, first.rateUntil(warm)) * 1e9));
        try (StageShares shares =
                StageShares.start(running, version.needsShares() ? expected : Duration.ZERO)) {
            if (!awaitAcknowledged(running, warm.acknowledged + Math.max(1, left), status)) {
                return null;
            }
            Moment end = Moment.of(running);
            Map<String, Double> counted = shares.ofCounters();
            double cores = (end.cpuNanos - warm.cpuNanos) / (end.nanos - warm.nanos);
            int processors = Runtime.getRuntime().availableProcessors();
            double free = looks == 0 ? 0 : processors * Math.max(0, 1 - loads / looks);
            double rate = warm.rateUntil(end);
            var limiter = probe.overall();
            Map<String, Double> profiled = shares.ofProfile(counted);
            return new Measurement(
                    rate,
                    limiter,
                    Double.isNaN(cores) ? 0 : cores,
                    free,
                    profiled.isEmpty() ? counted : profiled,
                    profiled.isEmpty() ? "counters" : "profile");
        }
    }

    /** False if the command was told to stop. */
    private boolean awaitAcknowledged(RunningPipeline running, long count, Runnable status)
            throws InterruptedException {
        while (true) {
            long acknowledged = acknowledged(running.stages());
            if (acknowledged >= count) {
                return true;
            }
            if (weir.shutdown().isRequested()) {
                return false;
            }
            double load = MachineLook.now().load();
            if (!Double.isNaN(load)) {
                loads += load;
                looks++;
            }
            checkMoving(acknowledged);
            status.run();
            awaitTick(running);
        }
    }

    private void checkMoving(long acknowledged) {
        long now = System.nanoTime();
        if (acknowledged != lastMoved) {
            lastMoved = acknowledged;
            movedNanos = now;
        } else if (now - movedNanos > PATIENCE.toNanos()) {
            throw CliFailure.work(
                    "nothing moved for %d s after %,d of %,d events"
                            .formatted(PATIENCE.toSeconds(), acknowledged, events),
                    "Run it again with --log-file FILE and look there.");
        }
    }

    private static void awaitTick(RunningPipeline running) throws InterruptedException {
        try {
            running.completion().get(TICK_MILLIS, TimeUnit.MILLISECONDS);
            throw CliFailure.work("the pipeline ended before all events were through", "");
        } catch (ExecutionException failed) {
            throw CliFailure.work("the pipeline failed: " + failed.getCause(), "", failed);
        } catch (TimeoutException ignored) { // It runs: as it should.
        }
    }

    /** How many records the broker has of those that the pipeline sent. */
    private static long acknowledged(List<StageSnapshot> stages) {
        return stages.getLast().elementsOut();
    }

    /** A moment of a run. */
    private record Moment(long nanos, long acknowledged, double cpuNanos) {

        static Moment of(RunningPipeline running) {
            return new Moment(
                    System.nanoTime(),
                    VersionRun.acknowledged(running.stages()),
                    MachineLook.now().processCpuNanos());
        }

        double rateUntil(Moment later) {
            return (later.acknowledged - acknowledged) * 1e9 / Math.max(1, later.nanos - nanos);
        }
    }
}
