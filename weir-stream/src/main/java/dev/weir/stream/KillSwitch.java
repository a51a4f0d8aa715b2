package dev.weir.stream;

import dev.weir.stream.internal.failure.KillSwitchState;
import java.util.Objects;

/**
 * A switch that ends the streams it was added to with {@link Source#via}, possibly in several pipelines at once.
 * Thread-safe. It may be turned before the pipelines run. The first call decides; later calls do nothing.
 *
 * <p>The stages above the switch are interrupted and closed; an element that has passed the switch continues
 * undisturbed. Elements that have not passed it stay unacknowledged. To finish all emitted elements first, use
 * {@link RunningPipeline#drain}.
 */
public final class KillSwitch {

    private final KillSwitchState core = new KillSwitchState();

    /** Creates a switch that lets everything pass. */
    public KillSwitch() {}

    KillSwitchState core() {
        return core;
    }

    /** Completes the streams below the switch. */
    public void shutdown() {
        core.turn(null);
    }

    /** Fails the streams below the switch with {@code cause}. */
    public void abort(Throwable cause) {
        core.turn(Objects.requireNonNull(cause, "cause"));
    }

    /** Returns whether {@link #shutdown} or {@link #abort} was called. */
    public boolean isTurned() {
        return core.isTurned();
    }
}
