package dev.weir.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All current subjects of one kind, for example the stages of a pipeline. Registers meters for new subjects and removes
 * the meters of subjects that are gone. Guarded by the lock of its {@link PipelineMetrics}.
 */
final class Family<S> {

    private final List<MeterSpec<S>> specs;
    private final Map<Tags, Subject<S>> subjects = new HashMap<>();

    Family(List<MeterSpec<S>> specs) {
        this.specs = specs;
    }

    /** Updates the meters to cover exactly the given subjects. */
    void look(Map<Tags, S> now, Collection<MeterRegistry> registries) {
        subjects.entrySet().removeIf(known -> {
            boolean gone = !now.containsKey(known.getKey());
            if (gone) {
                known.getValue().removeFromAll();
            }
            return gone;
        });
        now.forEach((tags, state) -> {
            Subject<S> known = subjects.get(tags);
            if (known != null) {
                known.look(state);
                return;
            }
            Subject<S> come = new Subject<>(tags, specs, state);
            subjects.put(tags, come);
            registries.forEach(come::register);
        });
    }

    void register(MeterRegistry registry) {
        subjects.values().forEach(subject -> subject.register(registry));
    }

    void clear() {
        subjects.values().forEach(Subject::removeFromAll);
        subjects.clear();
    }
}
