package dev.weir.stream;

import dev.weir.stream.internal.failure.KillSwitchState;
import java.util.Objects;

/**
 * A switch that ends the streams to which it was added with {@link Source#via}, in any number of pipelines.
 * Thread-safe. {@link #shutdown} and {@link #abort} may be called even before the pipelines run. Only the first call
 * has an effect.
 *
 * <p>The stages upstream of the switch are interrupted and closed; elements that have passed the switch continue
 * undisturbed. Elements that have not passed it stay unacknowledged. To finish all emitted elements first, use
 * {@link RunningPipeline#drain} instead.
 */
public final class KillSwitch {

    private final KillSwitchState core = new KillSwitchState();

    /** Creates a switch that lets all elements pass. */
    public KillSwitch() {}

    KillSwitchState core() {
        return core;
    }

    /** Completes the streams downstream of the switch. */
    public void shutdown() {
        core.turn(null);
    }

    /** Fails the streams downstream of the switch with {@code cause}. */
    public void abort(Throwable cause) {
        core.turn(Objects.requireNonNull(cause, "cause"));
    }

    /** Returns whether {@link #shutdown} or {@link #abort} was called. */
    public boolean isTurned() {
        return core.isTurned();
    }
}
