package dev.weir.console.internal.state;

import dev.weir.console.internal.state.Look.StageLook;
import dev.weir.stream.StageSnapshot;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The counters of one stage at the last readings. Confined to the reading thread.
 *
 * <p>A counter includes a batch or a call only once it is done. Activity is therefore computed over several seconds.
 */
final class RecentCounters {

    /** Number of seconds of recent activity, as for the limiter. */
    private static final int SECONDS = 5;

    private final Deque<StageSnapshot> looks = new ArrayDeque<>();

    /** Returns the stage's recent activity, and stores {@code now} as the last reading. */
    StageLook next(StageSnapshot now) {
        StageLook look = StageLook.between(looks.peekFirst(), looks.peekLast(), now);
        looks.addLast(now);
        if (looks.size() > SECONDS) {
            looks.removeFirst();
        }
        return look;
    }
}
