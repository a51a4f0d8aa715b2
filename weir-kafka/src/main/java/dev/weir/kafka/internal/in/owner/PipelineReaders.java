package dev.weir.kafka.internal.in.owner;

import dev.weir.stream.spi.StageContext;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** Supplies the pipelines whose stages may hold emitted records. Thread-safe. */
final class PipelineReaders implements Supplier<Collection<StageContext>> {

    /** Set before anything is emitted. */
    private volatile Supplier<Collection<StageContext>> current = List::of;

    void set(Supplier<Collection<StageContext>> readers) {
        current = readers;
    }

    @Override
    public Collection<StageContext> get() {
        return current.get();
    }

    /** Makes the pipelines drop revoked work that has not started. */
    void dropRevoked() {
        get().forEach(StageContext::dropRevoked);
    }
}
