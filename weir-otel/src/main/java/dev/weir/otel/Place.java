package dev.weir.otel;

import org.jspecify.annotations.Nullable;

/**
 * Locates an element's trace: the {@link TraceTarget} that stores the trace, and the element's index in that target.
 * Immutable.
 */
record Place(TraceTarget target, int index) {

    /** Returns the trace, starting it if necessary. Returns null if the record is already finished. */
    @Nullable
    Trace trace() {
        return target.trace(index);
    }
}
