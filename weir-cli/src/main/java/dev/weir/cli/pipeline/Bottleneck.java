package dev.weir.cli.pipeline;

import dev.weir.stream.StageSnapshot;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which stage holds the others up, if one does. Immutable.
 *
 * <p>The rule, as in docs/reference/pipe.md: the busiest stage, if it worked for at least half of its thread time; else the stage that
 * does not take: the one below the last stage that waited for at least half of its time for somebody to take its output.
 * Below the last stage of all are the brokers. Else there is none.
 *
 * @param stage its name; null if there is none, or if it is none of the pipeline
 * @param sentence for people, without an end
 */
public record Bottleneck(@Nullable String stage, String sentence) {

    /** Of a stage's thread time. */
    private static final double HALF = 0.5;

    public static Bottleneck of(List<StageSnapshot> stages) {
        StageSnapshot busiest = null;
        int waiting = -1;
        for (int i = 0; i < stages.size(); i++) {
            StageSnapshot stage = stages.get(i);
            busiest = busiest == null || stage.busyShare() > busiest.busyShare() ? stage : busiest;
            waiting = stage.blockedDownShare() >= HALF ? i : waiting;
        }
        if (busiest == null) {
            return new Bottleneck(null, "no bottleneck: there are no stages");
        }
        if (busiest.busyShare() >= HALF) {
            return new Bottleneck(
                    busiest.name(), "bottleneck: " + busiest.name() + ", busy " + percent(busiest.busyShare()));
        }
        if (waiting == stages.size() - 1) {
            return new Bottleneck(null, "no bottleneck in the pipe: it waited for the brokers to take its output");
        }
        if (waiting >= 0) {
            StageSnapshot below = stages.get(waiting + 1);
            return new Bottleneck(
                    below.name(),
                    "bottleneck: " + below.name() + ", which did not take what "
                            + stages.get(waiting).name() + " had for it");
        }
        return new Bottleneck(
                null,
                "no bottleneck: busiest is " + busiest.name() + ", " + percent(busiest.busyShare())
                        + (stages.getFirst().blockedUpShare() >= HALF ? "; the pipe waited for records" : ""));
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * share);
    }
}
