package dev.weir.kafka.internal.in.view;

import dev.weir.lean.KeptBatches;

/** A pool for the memory of a source's elements. Thread-safe. */
public final class ViewPool {

    /** Maximum size of an element that combines several batches. A larger batch gets its own element. */
    private static final int FULL_BYTES = 64 * 1024;

    /** Maximum size of memory that is reused. */
    private static final int MAX_KEPT_BYTES = 2 * 1024 * 1024;

    private static final int MAX_SPARES = 1024;

    private final Spares<KeptBatches> batches = new Spares<>(MAX_SPARES);
    private final Spares<EncodedElement> outputs = new Spares<>(MAX_SPARES);
    private final Spares<KeptViews> views = new Spares<>(MAX_SPARES);

    /** Takes empty views, to be filled by the caller. */
    public KeptViews takeViews() {
        KeptViews spare = views.take();
        KeptViews taken = spare == null ? new KeptViews(this) : spare;
        taken.begin();
        return taken;
    }

    void give(KeptViews done) {
        views.give(done);
    }

    KeptBatches takeBatches() {
        KeptBatches spare = batches.take();
        return spare == null ? new KeptBatches(FULL_BYTES) : spare;
    }

    void give(KeptBatches done) {
        done.clear();
        if (done.capacityBytes() <= MAX_KEPT_BYTES) {
            batches.give(done);
        }
    }

    EncodedElement takeOutput() {
        EncodedElement spare = outputs.take();
        return spare == null ? new EncodedElement(this) : spare;
    }

    void give(EncodedElement done) {
        if (done.sizeBytes() <= MAX_KEPT_BYTES) {
            done.clear();
            outputs.give(done);
        }
    }
}
