package dev.weir.cli.pipeline;

import dev.weir.metrics.Limiter;
import dev.weir.metrics.LimiterFinder;
import dev.weir.metrics.MachineLook;
import dev.weir.metrics.PipelineLook;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.StageSnapshot.Activity;
import java.util.List;

/**
 * A finding about two stages on one thread. Until the last two seconds, the run's figures were different.
 *
 * @param stages the counters at the end of the run
 * @param limiter the limiter of the last two seconds
 */
public record FusedFinding(List<StageSnapshot> stages, Limiter limiter) {

    /** The stage that the finding names. */
    public static final String STAGE = "parse";

    private static final long SECOND = 1_000_000_000;
    private static final DispatcherSnapshot ONE =
            DispatcherSnapshot.of("fork-join", Dispatcher.Kind.FORK_JOIN, 8, 1, 1, 0, 0);

    /**
     * Returns a finding in which {@link #STAGE} was busy for the fraction {@code share} of two seconds, and the other
     * stage for the remaining time.
     */
    public static FusedFinding of(double share) {
        return of(share, 1 - share, 0, 0);
    }

    /**
     * Returns a finding about two seconds of the thread: both stages' work, waits for input, and waits for the
     * downstream stages.
     */
    public static FusedFinding of(double share, double neighbour, double starved, double blocked) {
        List<StageSnapshot> before = List.of(stage("unpack", 4_000, 10, 4, 1, 1), stage(STAGE, 4_000, 10, 0.1, 1, 1));
        double up = 1 + 2 * starved;
        double down = 1 + 2 * blocked;
        List<StageSnapshot> after = List.of(
                stage("unpack", 6_000, 12, 4 + 2 * neighbour, up, down),
                stage(STAGE, 6_000, 12, 0.1 + 2 * share, up, down));
        List<Activity> activity = List.of(
                Activity.of("unpack", "main", ONE, 1, 0, 0, 0, "", 0),
                Activity.of(STAGE, "main", ONE, 1, 0, 0, 0, "", 0));
        Limiter limiter = LimiterFinder.find(
                PipelineLook.of(0, before, activity, List.of(), List.of(), MachineLook.unknown(8)),
                PipelineLook.of(2 * SECOND, after, activity, List.of(), List.of(), MachineLook.unknown(8)));
        return new FusedFinding(after, limiter);
    }

    private static StageSnapshot stage(
            String name, long elements, double elapsed, double busy, double up, double down) {
        return StageSnapshot.of(name, 1, elements, elements, nanos(busy), nanos(up), nanos(down), 0, nanos(elapsed));
    }

    private static long nanos(double seconds) {
        return Math.round(seconds * SECOND);
    }
}
