package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.Iterator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Emits what an iterator gives; nobody waits for acknowledgements. A stop ends it after the current element. */
final class IteratorSource<T> implements Stage<T> {

    private final Iterator<? extends T> iterator;
    private final StageMeter meter;

    private volatile boolean stopped;

    private IteratorSource(Iterator<? extends T> iterator, StageMeter meter) {
        this.iterator = iterator;
        this.meter = meter;
    }

    static <T> Node<T> node(Iterable<? extends T> elements) {
        return new Node<>("iterable", (assembly, attributes) -> {
            var entry = assembly.fused(attributes);
            IteratorSource<T> source = new IteratorSource<>(elements.iterator(), entry.meter());
            entry.onStop(() -> source.stopped = true);
            return source;
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        // It never blocks by itself, so nothing else would notice a cancellation when the iterator has no end.
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (stopped || !iterator.hasNext()) {
            return null;
        }
        long start = System.nanoTime();
        Object[] values = new Object[Batch.DEFAULT_CAPACITY];
        int size = 0;
        while (size < values.length && !stopped && iterator.hasNext()) {
            values[size++] = Objects.requireNonNull(iterator.next(), "an element of a stream must not be null");
        }
        meter.worked(size, size, start);
        return Batch.unacknowledged(values, size);
    }

    @Override
    public void close() {}
}
