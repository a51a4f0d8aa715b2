package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.Specialised;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.FailedElement;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.lang.invoke.MethodHandles;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands each element to a consumer and acknowledges it when that returns. Confined to the thread of its segment.
 *
 * <p>It takes elements through the {@link MapGroup} right above by itself, if there is one.
 */
final class ForEachSink<T> implements SinkLoop<T> {

    private static final Specialised<ElementLoop> LOOPS = Specialised.of(MethodHandles.lookup(), new ConsumerLoop());

    private final ElementLoop loop;
    private final Consumer<? super T> consumer;
    private final StageMeter meter;

    /** What the sink took for a batch when it was last looked at alone, at least 1. */
    private long sampleNanos = 1;

    ForEachSink(Consumer<? super T> consumer, StageMeter meter) {
        this.loop = LOOPS.forFunction(consumer);
        this.consumer = consumer;
        this.meter = meter;
    }

    @Override
    public void run(Stage<T> upstream) throws InterruptedException {
        MapGroup<T> maps = MapGroup.rightAbove(upstream);
        Batch<T> batch;
        while ((batch = upstream.pull(Stage.NEVER)) != null) {
            if (batch.isEmpty()) {
                continue;
            }
            if (maps != null && maps.isOwed()) {
                runWith(maps, batch);
            } else {
                long start = System.nanoTime();
                int size = loop.run(batch, consumer, null);
                sampleNanos = Math.max(1, System.nanoTime() - start);
                meter.in(size);
                meter.out(size);
                meter.busy(sampleNanos);
                meter.ran(sampleNanos);
            }
            batch.release();
        }
    }

    private void runWith(MapGroup<T> maps, Batch<T> batch) throws InterruptedException {
        long start = System.nanoTime();
        int reached = loop.run(batch, consumer, maps);
        meter.ran(System.nanoTime() - start, maps.names());
        meter.in(reached);
        meter.out(reached);
        meter.busy(maps.countInSink(batch.size(), start, sampleNanos));
        maps.throwFailure();
    }

    /** What is copied for each class of consumers; see {@link Loop}. */
    private interface ElementLoop {

        /** Returns how many elements have reached the consumer. */
        <T> int run(Batch<T> batch, Consumer<? super T> consumer, @Nullable MapGroup<T> maps)
                throws InterruptedException;
    }

    private static final class ConsumerLoop implements ElementLoop {

        @Override
        public <T> int run(Batch<T> batch, Consumer<? super T> consumer, @Nullable MapGroup<T> maps)
                throws InterruptedException {
            int size = batch.size();
            int reached = 0;
            for (int i = 0; i < size; i++) {
                if (batch.dropIfRevoked(i)) {
                    reached++;
                    continue;
                }
                T element;
                try {
                    element = maps == null ? batch.get(i) : maps.through(batch.get(i));
                } catch (MapGroup.Dropped dropped) {
                    if (maps.drop(dropped, batch, i)) {
                        break;
                    }
                    continue;
                }
                reached++;
                try {
                    consumer.accept(element);
                } catch (RuntimeException | Error thrown) {
                    FailedElement.note(thrown, "forEach", batch.target(i), batch.token(i), batch.get(i));
                    throw thrown;
                }
                batch.ack(i);
            }
            return reached;
        }
    }
}
