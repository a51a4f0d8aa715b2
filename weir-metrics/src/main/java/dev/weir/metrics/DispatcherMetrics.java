package dev.weir.metrics;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.Dispatchers;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * The meters of dispatchers ({@code weir.dispatcher.*}): threads, running tasks and waiting tasks. Immutable. Each
 * scrape reads the dispatchers, which the meters reference only weakly.
 */
public final class DispatcherMetrics implements MeterBinder {

    private final List<Dispatcher> dispatchers;

    private DispatcherMetrics(List<Dispatcher> dispatchers) {
        this.dispatchers = dispatchers;
    }

    /** Creates the meters of the two shared dispatchers and of {@code others}. */
    public static DispatcherMetrics of(Dispatcher... others) {
        List<Dispatcher> all = new ArrayList<>(List.of(Dispatcher.virtual(), Dispatcher.cpu()));
        for (Dispatcher other : Objects.requireNonNull(others, "others")) {
            all.add(Objects.requireNonNull(other, "others"));
        }
        return new DispatcherMetrics(List.copyOf(all));
    }

    /** Creates the meters of the two shared dispatchers and of the dispatchers defined in a file. */
    public static DispatcherMetrics of(Dispatchers file) {
        return of(file.names().stream().map(file::get).toArray(Dispatcher[]::new));
    }

    /** Registers the meters. If there are already meters for a dispatcher, they remain unchanged. */
    @Override
    public void bindTo(MeterRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        for (Dispatcher dispatcher : dispatchers) {
            Tags tags = Tags.of(
                    PipelineMeters.DISPATCHER_TAG,
                    dispatcher.name(),
                    PipelineMeters.KIND_TAG,
                    dispatcher.kind().name().toLowerCase(Locale.ROOT));
            DirectMeters.register(registry, PipelineMeters.DISPATCHER, tags, dispatcher, Dispatcher::snapshot);
        }
    }
}
