package dev.weir.kafka.internal.in.owner;

import dev.weir.stream.spi.StageContext;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** Supplies the pipelines that read from a consumer. Thread-safe. */
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

    /** Makes the pipelines drop revoked records that they have not started. */
    void dropRevoked() {
        get().forEach(StageContext::dropRevoked);
    }
}
