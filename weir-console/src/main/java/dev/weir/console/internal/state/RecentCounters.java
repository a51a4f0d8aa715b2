package dev.weir.console.internal.state;

import dev.weir.console.internal.state.Look.StageLook;
import dev.weir.stream.StageSnapshot;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The counters of one stage at the last looks. Confined to who looks.
 *
 * <p>They learn of work when it is done. Of a batch or a call that takes longer than the second between two looks most
 * looks would say that nothing is at work, and one that everything is.
 */
final class RecentCounters {

    /** As many as a limiter is judged over. */
    private static final int SECONDS = 5;

    private final Deque<StageSnapshot> looks = new ArrayDeque<>();

    /** Returns the work of the stage until now, which is the last look from here on. */
    StageLook next(StageSnapshot now) {
        StageLook look = StageLook.between(looks.peekFirst(), looks.peekLast(), now);
        looks.addLast(now);
        if (looks.size() > SECONDS) {
            looks.removeFirst();
        }
        return look;
    }
}
