package dev.weir.stream;

import dev.weir.stream.internal.failure.FailureStages;
import java.util.Objects;
import java.util.function.Supplier;

/** Sections of a stream that are built anew when they fail. Stateless. */
public final class Restart {

    private Restart() {}

    /**
     * A source that asks {@code section} for a blueprint, runs it within the pipeline, and when it fails closes it,
     * waits, and asks again. See {@link Source#restarted} for what becomes of its elements.
     *
     * @param section called on the stream's thread for each start; may return a new blueprint each time, and an
     *     exception out of it counts as a failure of the section
     */
    public static <T> Source<T> source(RestartSettings settings, Supplier<Source<T>> section) {
        Objects.requireNonNull(settings, "settings");
        Objects.requireNonNull(section, "section");
        return Source.at(FailureStages.restart(settings, () -> FanInOperators.made("Restart.source", section.get())));
    }
}
