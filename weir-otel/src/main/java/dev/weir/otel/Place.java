package dev.weir.otel;

import org.jspecify.annotations.Nullable;

/**
 * The location of an element's trace, which is the {@link TraceTarget} that stores the trace and the element's index in
 * it. Immutable.
 */
record Place(TraceTarget target, int index) {

    /** Returns the trace, starting it if necessary. Returns null if the record is already finished. */
    @Nullable
    Trace trace() {
        return target.trace(index);
    }
}
