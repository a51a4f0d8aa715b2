package dev.weir.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One stage, consumer or partition with its meters. Any thread may read the meters; one thread at a time writes, under
 * the lock of its {@link PipelineMetrics}.
 */
final class Subject<S> {

    private final Tags tags;
    private final List<MeterSpec<S>> specs;
    private final Map<MeterRegistry, Meter[]> registered = new HashMap<>();

    private final double[] read;

    /** Values in the order of {@link #specs}. The whole array is replaced, so that a scrape sees one reading. */
    private volatile double[] values;

    Subject(Tags tags, List<MeterSpec<S>> specs, S first) {
        this.tags = tags;
        this.specs = specs;
        this.read = new double[specs.size()];
        this.values = new double[specs.size()];
        look(first);
    }

    /** Takes a reading. A counter ignores a decrease of its source, which would look like a reset. */
    void look(S now) {
        double[] next = new double[specs.size()];
        for (int i = 0; i < next.length; i++) {
            MeterSpec<S> spec = specs.get(i);
            double value = spec.value().applyAsDouble(now);
            next[i] = spec.kind() == MeterSpec.Kind.COUNTER ? values[i] + Math.max(0, value - read[i]) : value;
            read[i] = value;
        }
        values = next;
    }

    void register(MeterRegistry registry) {
        Meter[] meters = new Meter[specs.size()];
        for (int i = 0; i < meters.length; i++) {
            meters[i] = register(registry, specs.get(i), i);
        }
        registered.put(registry, meters);
    }

    private Meter register(MeterRegistry registry, MeterSpec<S> spec, int place) {
        Tags all = tags.and(spec.fixed());
        return switch (spec.kind()) {
            case COUNTER ->
                FunctionCounter.builder(spec.name(), this, subject -> subject.values[place])
                        .tags(all)
                        .description(spec.description())
                        .baseUnit(spec.baseUnit())
                        .register(registry);
            case GAUGE ->
                // Keeps the meters alive even if the caller drops the binder.
                Gauge.builder(spec.name(), this, subject -> subject.values[place])
                        .strongReference(true)
                        .tags(all)
                        .description(spec.description())
                        .baseUnit(spec.baseUnit())
                        .register(registry);
        };
    }

    void removeFromAll() {
        registered.forEach((registry, meters) -> {
            for (Meter meter : meters) {
                registry.remove(meter);
            }
        });
        registered.clear();
    }
}
