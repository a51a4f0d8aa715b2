package dev.weir.otel;

import org.jspecify.annotations.Nullable;

/** Identifies an element's trace by its target and the element's index in that target. Immutable. */
record Place(TraceTarget target, int index) {

    /** Returns the trace, starting it if necessary. Returns null if the record is already finished. */
    @Nullable
    Trace trace() {
        return target.trace(index);
    }
}
