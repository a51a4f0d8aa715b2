package dev.weir.stream.internal.failure;

import dev.weir.stream.internal.run.TaskSection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The state that a kill switch shares with its stages. A turned switch stays turned. Thread-safe. */
public final class KillSwitchState {

    /**
     * The outcome of turning the switch.
     *
     * @param failure the failure with which the streams end, or null if they complete normally
     */
    record Turn(@Nullable Throwable failure) {}

    private final AtomicReference<@Nullable Turn> turn = new AtomicReference<>();
    private final Set<TaskSection> sections = ConcurrentHashMap.newKeySet();

    /** Ends the streams, with {@code failure} if it is not null. Only the first call has an effect. */
    public void turn(@Nullable Throwable failure) {
        if (turn.compareAndSet(null, new Turn(failure))) {
            sections.forEach(TaskSection::interrupt);
        }
    }

    public boolean isTurned() {
        return turn.get() != null;
    }

    /** Returns the outcome, or null if the switch has not been turned. */
    @Nullable
    Turn turned() {
        return turn.get();
    }

    /** Interrupts {@code section} when the switch is turned, or now if it was turned before. */
    void add(TaskSection section) {
        sections.add(section);
        if (isTurned()) {
            section.interrupt();
        }
    }

    void remove(TaskSection section) {
        sections.remove(section);
    }
}
