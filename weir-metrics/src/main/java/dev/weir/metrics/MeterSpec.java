package dev.weir.metrics;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A meter for one kind of subject. Immutable.
 *
 * @param kind counter or gauge
 * @param name the dotted name, which ends with its unit if the unit is seconds, records or bytes
 * @param unit the unit for the documentation
 * @param fixed tags in addition to the subject's own tags
 * @param description the meter's description, in one sentence
 * @param value reads the value from a subject
 */
record MeterSpec<S>(
        Kind kind, String name, String unit, Tags fixed, String description, ToDoubleFunction<? super S> value) {

    /** Units that meter names end with. Prometheus registries append any other {@link #baseUnit}. */
    private static final Set<String> UNITS_IN_NAMES = Set.of("seconds", "records", "bytes");

    enum Kind {
        COUNTER,
        GAUGE
    }

    static <S> MeterSpec<S> counter(String name, String unit, String description, ToDoubleFunction<? super S> value) {
        return new MeterSpec<>(Kind.COUNTER, name, unit, Tags.empty(), description, value);
    }

    static <S> MeterSpec<S> gauge(String name, String unit, String description, ToDoubleFunction<? super S> value) {
        return new MeterSpec<>(Kind.GAUGE, name, unit, Tags.empty(), description, value);
    }

    /** Creates a gauge that is 1 for true and 0 for false. */
    static <S> MeterSpec<S> flag(String name, String description, Predicate<? super S> value) {
        return gauge(name, "0 or 1", description, look -> value.test(look) ? 1 : 0);
    }

    MeterSpec<S> tagged(String key, String tagValue) {
        return new MeterSpec<>(kind, name, unit, fixed.and(key, tagValue), description, value);
    }

    /** Returns the unit for the registry, or null. */
    @Nullable
    String baseUnit() {
        String last = name.substring(name.lastIndexOf('.') + 1);
        return UNITS_IN_NAMES.contains(last) ? last : null;
    }

    String prometheusName() {
        return name.replace('.', '_') + (kind == Kind.COUNTER ? "_total" : "");
    }

    List<String> fixedKeys() {
        return fixed.stream().map(Tag::getKey).toList();
    }
}
