package dev.weir.stream;

import dev.weir.stream.internal.failure.FailureStages;
import java.util.Objects;
import java.util.function.Supplier;

/** Sources that are restarted when they fail. Stateless. */
public final class Restart {

    private Restart() {}

    /**
     * Returns a source that emits the elements of another source, which {@code section} returns. If that source fails,
     * it is closed, and after the back-off {@code section} is called again. {@link Source#restarted} describes how
     * acknowledgements behave across restarts.
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
