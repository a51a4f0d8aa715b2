package dev.weir.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.function.Function;

/** Registers meters that read an object on each scrape, for objects that are cheap to read. */
final class DirectMeters {

    private DirectMeters() {}

    /** Registers meters that read their values from {@code subject}, which they reference only weakly. */
    static <T, S> void register(
            MeterRegistry registry, List<MeterSpec<S>> specs, Tags tags, T subject, Function<T, S> look) {
        for (MeterSpec<S> spec : specs) {
            switch (spec.kind()) {
                case COUNTER ->
                    FunctionCounter.builder(
                                    spec.name(), subject, asked -> spec.value().applyAsDouble(look.apply(asked)))
                            .tags(tags)
                            .description(spec.description())
                            .baseUnit(spec.baseUnit())
                            .register(registry);
                case GAUGE ->
                    Gauge.builder(spec.name(), subject, asked -> spec.value().applyAsDouble(look.apply(asked)))
                            .tags(tags)
                            .description(spec.description())
                            .baseUnit(spec.baseUnit())
                            .register(registry);
            }
        }
    }
}
