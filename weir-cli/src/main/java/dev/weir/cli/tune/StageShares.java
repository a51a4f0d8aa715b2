package dev.weir.cli.tune;

import dev.weir.cli.terminal.Shutdown;
import dev.weir.console.profile.Profile;
import dev.weir.console.profile.Profiler;
import dev.weir.console.profile.StageProfile;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Divides the time of a thread among its fused stages. The counters know exactly how much of the time it worked, the
 * profile how that divides. The profile has a thread of its own, as a recording waits until its end; close it.
 */
final class StageShares implements AutoCloseable {
    /** Fewer samples say less than the counters. */
    private static final long ENOUGH_SAMPLES = 200;

    private static final Duration LONGEST = Duration.ofSeconds(10);

    /** The time a recording has to be read after its end. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The time a recording that is given up has to put its file away. */
    private static final long GIVE_UP_MILLIS = TimeUnit.SECONDS.toMillis(5);

    private static final long TICK_MILLIS = 50;

    private final RunningPipeline running;
    private final Shutdown shutdown;
    private final List<StageSnapshot> before;
    private final Profiler profiler;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("weir-tune-profile").unstarted(this::record);

    private volatile @Nullable Profile profile;

    private StageShares(RunningPipeline running, Duration time, Shutdown shutdown) {
        this.running = running;
        this.shutdown = shutdown;
        this.before = running.stages();
        this.profiler = Profiler.create().time(time.compareTo(LONGEST) < 0 ? time : LONGEST);
    }

    /**
     * Begins to look.
     *
     * @param time how long the pipeline will run at least; a profile is made if that is a second
     * @param shutdown a stop ends the wait for the profile
     */
    static StageShares start(RunningPipeline running, Duration time, Shutdown shutdown) {
        boolean enough = time.compareTo(Duration.ofSeconds(1)) >= 0;
        StageShares shares = new StageShares(running, enough ? time : Duration.ofSeconds(1), shutdown);
        if (enough) {
            shares.thread.start();
        }
        return shares;
    }

    private void record() {
        try {
            profile = profiler.recordThisProcess();
        } catch (InterruptedException | IOException e) { // Given up, or not possible here: then the counters say it.
            profile = null;
        }
    }

    /** By stage, of all that share the last one's thread: the share of the time until now in which it worked. */
    Map<String, Double> ofCounters() {
        List<StageSnapshot.Activity> activity = running.activity();
        if (activity.isEmpty()) {
            return Map.of();
        }
        String thread = activity.getLast().thread();
        Set<String> fused = activity.stream()
                .filter(stage -> Objects.equals(stage.thread(), thread))
                .map(StageSnapshot.Activity::stage)
                .collect(Collectors.toSet());
        Map<String, StageSnapshot> start =
                before.stream().collect(Collectors.toMap(StageSnapshot::name, stage -> stage));
        Map<String, Double> shares = new HashMap<>();
        for (StageSnapshot stage : running.stages()) {
            StageSnapshot first = start.get(stage.name());
            if (first != null && fused.contains(stage.name()) && stage.elapsedNanos() > first.elapsedNanos()) {
                shares.put(
                        stage.name(),
                        (double) (stage.busyNanos() - first.busyNanos())
                                / (stage.elapsedNanos() - first.elapsedNanos()));
            }
        }
        return shares;
    }

    /** The same divided as the profile says, once that is ready; empty if there is none or it has too few samples. */
    Map<String, Double> ofProfile(Map<String, Double> counters) throws InterruptedException {
        long startNanos = System.nanoTime();
        while (thread.isAlive()
                && !shutdown.isRequested()
                && System.nanoTime() - startNanos < LONGEST.toNanos() + PATIENCE.toNanos()) {
            thread.join(TICK_MILLIS);
        }
        Profile found = profile;
        if (found == null || found.samples() < ENOUGH_SAMPLES) {
            return Map.of();
        }
        Map<String, Double> sampled = found.stages().stream()
                .filter(stage -> counters.containsKey(stage.name()))
                .collect(Collectors.toMap(StageProfile::name, StageProfile::cpuShare));
        double all = sampled.values().stream().mapToDouble(Double::doubleValue).sum();
        double busy =
                counters.values().stream().mapToDouble(Double::doubleValue).sum();
        return all == 0
                ? Map.of()
                : sampled.entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, stage -> stage.getValue() / all * busy));
    }

    /** The share of Kafka's clients in the processor time that was sampled; 0 if too little was. */
    double ofClients() {
        Profile found = profile;
        return found == null || found.samples() < ENOUGH_SAMPLES ? 0 : found.clientShare();
    }

    /** Gives the recording up. */
    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(GIVE_UP_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
