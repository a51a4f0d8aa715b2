package dev.weir.kafka.internal.in.view;

import dev.weir.lean.KeptBatches;

/**
 * Memory of a source's elements that are done with, for those to come. Thread-safe. What is never given back is simply
 * not used again.
 */
public final class ViewPool {

    /** A few small batches together, so that small ones cost little each; a larger one has one alone. */
    private static final int FULL_BYTES = 64 * 1024;

    /** One that grew beyond it is left to the collector. */
    private static final int MAX_KEPT_BYTES = 2 * 1024 * 1024;

    /** More than these are unlikely to be needed at once; what they take is bounded by what was in use at once. */
    private static final int MAX_SPARES = 1024;

    private final Spares<KeptBatches> batches = new Spares<>(MAX_SPARES);
    private final Spares<EncodedElement> outputs = new Spares<>(MAX_SPARES);
    private final Spares<KeptViews> views = new Spares<>(MAX_SPARES);

    /** Views of nothing, to be added to. */
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
