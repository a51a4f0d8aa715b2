package dev.weir.otel;

import org.jspecify.annotations.Nullable;

/** The place of an element's trace. Immutable. */
record Place(TraceTarget target, int index) {

    /** The trace, which begins now if it had not; null if its record is finished. */
    @Nullable
    Trace trace() {
        return target.trace(index);
    }
}
