package dev.weir.stream;

import dev.weir.stream.internal.failure.KillSwitchState;
import java.util.Objects;

/**
 * Ends the streams that it was put into with {@link Source#via}, from outside, for good: one stream, or the streams of
 * several pipelines at once. Thread-safe; may be thrown before the pipelines run. The first call decides, further ones
 * do nothing.
 *
 * <p>The stages above the switch are interrupted, even if they would wait for ever, and closed; an element that has
 * passed the switch goes on undisturbed. Elements that had not passed it stay unacknowledged. To end a pipeline with
 * all that it has taken in finished there is {@link RunningPipeline#drain}.
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
