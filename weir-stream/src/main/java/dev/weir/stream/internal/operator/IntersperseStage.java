package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import org.jspecify.annotations.Nullable;

/**
 * Inserts an element between adjacent elements, and optionally one at the start and one at the end. The inserted
 * elements have no acknowledgements. Confined to the stage's thread.
 */
final class IntersperseStage<T> implements Stage<T> {

    private final Stage<T> upstream;
    private final StageMeter meter;
    private final T between;
    private final @Nullable T end;

    /**
     * The element to insert before the next input element: first the start element, then the separator; null for none.
     */
    private @Nullable T before;

    private boolean begun;
    private boolean ended;

    private IntersperseStage(StageWiring<T> wiring, @Nullable T start, T between, @Nullable T end) {
        this.upstream = wiring.upstream();
        this.meter = wiring.meter();
        this.before = start;
        this.between = between;
        this.end = end;
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, @Nullable T start, T between, @Nullable T end) {
        return StageWiring.withoutFunction(
                "intersperse", above, wiring -> new IntersperseStage<>(wiring, start, between, end));
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        if (ended) {
            return null;
        }
        Batch<T> batch = upstream.pull(deadlineNanos);
        if (batch == null) {
            ended = true;
            return frame();
        }
        int size = batch.size();
        if (size == 0) {
            return batch;
        }
        long startNanos = System.nanoTime();
        Batch<T> out = new Batch<>(2 * size);
        for (int i = 0; i < size; i++) {
            if (before != null) {
                out.add(before);
            }
            before = between;
            out.add(batch.get(i), batch.target(i), batch.token(i));
        }
        begun = true;
        meter.worked(size, out.size(), startNanos);
        batch.release();
        return out;
    }

    /** Returns the batch to emit at the end, or null if it is empty. Without input, it includes the start element. */
    private @Nullable Batch<T> frame() {
        Batch<T> out = new Batch<>(2);
        if (!begun && before != null) {
            out.add(before);
        }
        if (end != null) {
            out.add(end);
        }
        meter.out(out.size());
        return out.isEmpty() ? null : out;
    }

    @Override
    public void close() {
        upstream.close();
    }
}
