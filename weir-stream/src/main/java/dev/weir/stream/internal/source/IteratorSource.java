package dev.weir.stream.internal.source;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.Collection;
import java.util.Iterator;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/** Emits the elements of an iterator, without acknowledgements. Confined to the stage's thread. */
final class IteratorSource<T> extends ReadingSource<T> {

    private final Iterator<? extends T> iterator;
    /** A field, so that no object is created per batch. */
    private final BooleanSupplier stopped = this::isStopped;

    private IteratorSource(Iterator<? extends T> iterator, StageAttributes attributes) {
        super(attributes);
        this.iterator = iterator;
    }

    static <T> BlueprintNode<T> node(String name, Iterable<? extends T> elements) {
        Maker<T> maker = attributes -> new IteratorSource<>(
                Objects.requireNonNull(elements.iterator(), () -> name + " has null for an iterator"), attributes);
        return elements instanceof Collection ? inMemory(name, maker) : reading(name, maker);
    }

    @Override
    boolean fill(Batch<T> batch, int limit) {
        return batch.addAll(iterator, limit, stopped, AckTarget.NONE, 0);
    }
}
