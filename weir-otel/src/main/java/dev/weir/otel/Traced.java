package dev.weir.otel;

import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

/**
 * An element with the trace of its record, created by {@link Tracing#beside}. Immutable. Must not be used after the
 * record is finished.
 */
public final class Traced<T> {

    private final T value;
    private final @Nullable Place place;

    Traced(T value, @Nullable Place place) {
        this.value = value;
        this.place = place;
    }

    public T value() {
        return value;
    }

    /**
     * Returns the context of the element's span, and starts the span if necessary. Returns the root context if the
     * element has no record.
     */
    public Context context() {
        Trace trace = trace();
        return trace == null ? Context.root() : trace.context();
    }

    @Nullable
    Trace trace() {
        return place == null ? null : place.trace();
    }

    @Override
    public String toString() {
        return String.valueOf(value);
    }
}
