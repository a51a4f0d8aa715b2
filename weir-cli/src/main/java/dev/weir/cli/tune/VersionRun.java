package dev.weir.cli.tune;

import dev.weir.cli.console.Endpoints;
import dev.weir.cli.terminal.CliFailure;
import dev.weir.cli.terminal.CommandContext;
import dev.weir.cli.terminal.Progress;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import dev.weir.metrics.LimiterFinder;
import dev.weir.metrics.MachineLook;
import dev.weir.metrics.PipelineLook;
import dev.weir.stream.RunningPipeline;
import java.time.Duration;
import java.util.ArrayList;
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

    private static final long TICK_MILLIS = 20;

    /** The load is a mean over what went by since the look before: of shorter times it would be all or nothing. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** The longest time without progress. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration DRAIN = Duration.ofSeconds(30);

    private final CommandContext weir;
    private final Endpoints endpoints;
    private final String bootstrapServers;
    private final int events;

    // While a version runs.
    private final List<PipelineLook> looks = new ArrayList<>();
    private long lastMoved;
    private long movedNanos;
    private long startNanos;
    private MachineLook startMachine = MachineLook.now();

    /** For the names of groups: each pass begins with the first event. */
    private int passes;

    VersionRun(CommandContext weir, Endpoints endpoints, String bootstrapServers, int events) {
        this.weir = weir;
        this.endpoints = endpoints;
        this.bootstrapServers = bootstrapServers;
        this.events = events;
    }

    /**
     * Runs it through the first part of the events, as often as it takes until it is compiled. What it writes counts
     * for nothing.
     *
     * @return false if the command was told to stop
     */
    boolean warmUp(Version version, int step, Progress progress) throws InterruptedException {
        WarmUp warmUp = new WarmUp();
        while (version.needsWarmPasses() && !warmUp.isOver()) {
            begin();
            try (RunningPipeline running = start(version, step)) {
                endpoints.show(running);
                Runnable status = status(step, running, progress);
                if (!awaitAcknowledged(running, 1, status)) {
                    return false;
                }
                PipelineLook first = PipelineLook.at(running, MachineLook.now());
                if (!awaitAcknowledged(running, (long) (WARM_UP * events), status)) {
                    return false;
                }
                PipelineLook last = PipelineLook.at(running, MachineLook.now());
                warmUp.add(Window.rate(first, last), last.atNanos() - startNanos);
                running.drain(DRAIN);
            }
        }
        return true;
    }

    private RunningPipeline start(Version version, int step) {
        passes++;
        return version.pipeline(
                        ConsumerSettings.builder()
                                .bootstrapServers(bootstrapServers)
                                .groupId("weir-tune-%d-%d".formatted(step, passes)),
                        ProducerSettings.builder().bootstrapServers(bootstrapServers))
                .run();
    }

    private void begin() {
        looks.clear();
        lastMoved = -1;
        movedNanos = System.nanoTime();
        startNanos = movedNanos;
        startMachine = MachineLook.now();
    }

    /** The usual number of events a pass measures. */
    double eventsMeasured() {
        return (Window.MEASURED_UNTIL - WARM_UP) * events;
    }

    /**
     * Runs a version that is warm through all events and measures it.
     *
     * @param profile whether to record one meanwhile: it costs a processor for about a second, and a quick version is
     *     measured for two, so that a pass with it is one for the shares alone
     * @return null if the command was told to stop
     */
    @Nullable
    Measurement pass(Version version, int step, boolean profile, Progress progress) throws InterruptedException {
        begin();
        try (RunningPipeline running = start(version, step)) {
            endpoints.show(running);
            Measurement measured = measure(profile, running, status(step, running, progress));
            if (measured == null || !awaitAcknowledged(running, events, status(step, running, progress))) {
                return null;
            }
            running.drain(DRAIN);
            return measured;
        }
    }

    private Runnable status(int step, RunningPipeline running, Progress progress) {
        return () -> progress.update(
                () -> "step %d: %,d of %,d events".formatted(step, Window.acknowledged(running.stages()), events));
    }

    private @Nullable Measurement measure(boolean profile, RunningPipeline running, Runnable status)
            throws InterruptedException {
        if (!awaitAcknowledged(running, 1, status)) {
            return null;
        }
        PipelineLook first = PipelineLook.at(running, MachineLook.now());
        if (!awaitAcknowledged(running, (long) (WARM_UP * events), status)) {
            return null;
        }
        Window window = Window.of(
                Window.beforeRun(first, startNanos, startMachine),
                first,
                PipelineLook.at(running, MachineLook.now()),
                events);
        PipelineLook from = window.from();
        looks.clear();
        looks.add(from);
        Duration time = profile ? window.expected() : Duration.ZERO;
        try (StageShares shares = StageShares.start(running, time, weir.shutdown())) {
            if (!awaitAcknowledged(running, window.until(), status)) {
                return null;
            }
            MachineLook machine = ofMean(MachineLook.now());
            looks.add(PipelineLook.at(running, machine));
            Map<String, Double> counted = shares.ofCounters();
            Map<String, Double> profiled = shares.ofProfile(counted);
            PipelineLook end = looks.getLast();
            double cores =
                    (machine.processCpuNanos() - from.machine().processCpuNanos()) / (end.atNanos() - from.atNanos());
            return new Measurement(
                    Window.rate(from, end),
                    LimiterFinder.find(looks),
                    Double.isNaN(cores) ? 0 : cores,
                    Measurement.free(machine, cores),
                    profiled.isEmpty() ? counted : profiled,
                    profiled.isEmpty() ? "counters" : "profile",
                    shares.ofClients());
        }
    }

    /** The machine now, with the mean of all looks as its load. */
    private MachineLook ofMean(MachineLook now) {
        double load = looks.stream()
                .skip(1)
                .mapToDouble(look -> look.machine().load())
                .filter(each -> !Double.isNaN(each))
                .average()
                .orElse(now.load());
        return MachineLook.of(now.processors(), now.processCpuNanos(), load, now.pauseNanos());
    }

    /** False if the command was told to stop. */
    private boolean awaitAcknowledged(RunningPipeline running, long count, Runnable status)
            throws InterruptedException {
        while (true) {
            long acknowledged = Window.acknowledged(running.stages());
            if (acknowledged >= count) {
                return true;
            }
            if (weir.shutdown().isRequested()) {
                return false;
            }
            if (!looks.isEmpty() && System.nanoTime() - looks.getLast().atNanos() > LOOK_NANOS) {
                looks.add(PipelineLook.at(running, MachineLook.now()));
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
}
