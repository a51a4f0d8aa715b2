package dev.weir.stream;

import dev.weir.stream.internal.failure.FailureStages;
import java.util.Objects;
import java.util.function.Supplier;

/** Sources that are restarted when they fail. Stateless. */
public final class Restart {

    private Restart() {}

    /**
     * Returns a source that emits the elements of the source from {@code section}. If that source fails, it is closed,
     * and {@code section} is called again after the back-off. See {@link Source#restarted} for acknowledgements.
     *
     * @param section called on the stream's thread for each start. It may return a new blueprint each time; an
     *     exception from it counts as a failure of the returned source
     */
    public static <T> Source<T> source(RestartSettings settings, Supplier<Source<T>> section) {
        Objects.requireNonNull(settings, "settings");
        Objects.requireNonNull(section, "section");
        return Source.at(FailureStages.restart(settings, () -> FanInOperators.made("Restart.source", section.get())));
    }
}
