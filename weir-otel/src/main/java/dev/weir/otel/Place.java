package dev.weir.otel;

import org.jspecify.annotations.Nullable;

/**
 * The location of an element's trace: the {@link TraceTarget} that stores it, and the element's index there. Immutable.
 */
record Place(TraceTarget target, int index) {

    /** Returns the trace, and starts it if necessary. Returns null if the record is finished. */
    @Nullable
    Trace trace() {
        return target.trace(index);
    }
}
