package dev.weir.stream;

import dev.weir.stream.internal.failure.FailureStages;
import java.util.Objects;
import java.util.function.Supplier;

/** Sources that are restarted when they fail. Stateless. */
public final class Restart {

    private Restart() {}

    /**
     * Returns a source that calls {@code section} for a blueprint, runs it as a section of the pipeline, and emits its
     * elements. If the section fails, the source closes it, waits for the back-off, and calls {@code section} for a new
     * blueprint. {@link Source#restarted} describes how acknowledgements behave across restarts.
     *
     * @param section called on the stream's thread for each start. It may return a new blueprint each time; an
     *     exception from it counts as a failure of the section
     */
    public static <T> Source<T> source(RestartSettings settings, Supplier<Source<T>> section) {
        Objects.requireNonNull(settings, "settings");
        Objects.requireNonNull(section, "section");
        return Source.at(FailureStages.restart(settings, () -> FanInOperators.made("Restart.source", section.get())));
    }
}
