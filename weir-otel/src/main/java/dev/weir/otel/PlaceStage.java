package dev.weir.otel;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Passes each element and the {@link Place} of its trace to a function, and emits the result. An element derived from
 * several records gets its own acknowledgement target with one trace for this group of records. Confined to the stage's
 * thread.
 */
final class PlaceStage<T, R> implements Stage<R> {

    private final Stage<T> upstream;
    private final StageMeter meter;
    private final Spans spans;
    private final BiFunction<T, @Nullable Place, R> function;
    private final TraceFinder finder = new TraceFinder();

    PlaceStage(Stage<T> upstream, StageMeter meter, Spans spans, BiFunction<T, @Nullable Place, R> function) {
        this.upstream = upstream;
        this.meter = meter;
        this.spans = spans;
        this.function = function;
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        Batch<T> batch = upstream.pull(deadlineNanos);
        if (batch == null) {
            return null;
        }
        if (batch.isEmpty()) {
            return batch.retyped();
        }
        long start = System.nanoTime();
        int size = batch.size();
        Batch<R> out = new Batch<>(size);
        int next = 0;
        try {
            while (next < size) {
                T element = batch.get(next);
                Place place = add(element, batch.target(next), batch.token(next), out);
                // From here on, `out` has the acknowledgement. Abandoning it ends the span of the group.
                next++;
                out.set(next - 1, function.apply(element, place));
            }
        } catch (RuntimeException | Error thrown) {
            out.abandonAll();
            batch.abandonFrom(next);
            throw thrown;
        }
        batch.release();
        meter.worked(size, size, start);
        return out;
    }

    /** Appends the element, to be replaced by its result. Returns the place of its trace. */
    private @Nullable Place add(T element, AckTarget target, long token, Batch<R> out) {
        if (target instanceof TraceTarget traces) {
            out.add(element, target, token);
            return new Place(traces, (int) token);
        }
        List<Place> places = finder.of(target, token);
        if (places.size() > 1) {
            TraceTarget group = TraceTarget.ofGroup(spans, places, target, token);
            out.add(element, group, 0);
            return new Place(group, 0);
        }
        out.add(element, target, token);
        return places.isEmpty() ? null : places.getFirst();
    }

    @Override
    public void close() {
        upstream.close();
    }
}
