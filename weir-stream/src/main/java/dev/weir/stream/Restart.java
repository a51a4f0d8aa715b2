package dev.weir.stream;

import dev.weir.stream.internal.failure.FailureStages;
import java.util.Objects;
import java.util.function.Supplier;

/** Sources that are rebuilt when they fail. Stateless. */
public final class Restart {

    private Restart() {}

    /**
     * A source that runs the blueprint from {@code section} within the pipeline. When it fails, it is closed and, after
     * a wait, a new blueprint is requested. See {@link Source#restarted} for what happens to the elements.
     *
     * @param section called on the stream's thread for each start; may return a new blueprint each time, and an
     *     exception from it counts as a failure of the section
     */
    public static <T> Source<T> source(RestartSettings settings, Supplier<Source<T>> section) {
        Objects.requireNonNull(settings, "settings");
        Objects.requireNonNull(section, "section");
        return Source.at(FailureStages.restart(settings, () -> FanInOperators.made("Restart.source", section.get())));
    }
}
