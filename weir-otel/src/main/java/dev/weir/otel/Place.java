package dev.weir.otel;

import org.jspecify.annotations.Nullable;

/** The location of an element's trace: a target and an index. Immutable. */
record Place(TraceTarget target, int index) {

    /** Returns the trace, which is started on first access; null if its record is finished. */
    @Nullable
    Trace trace() {
        return target.trace(index);
    }
}
