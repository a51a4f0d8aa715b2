package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.Specialised;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.lang.invoke.MethodHandles;
import java.util.function.Consumer;

/** Hands each element to a consumer and acknowledges it when that returns. Confined to the thread of its segment. */
final class ForEachSink<T> implements SinkLoop<T> {

    private static final Specialised<Loop<?, ?>> LOOPS = Specialised.of(MethodHandles.lookup(), new ConsumerLoop<>());

    private final Loop<T, Consumer<? super T>> loop;
    private final Consumer<? super T> consumer;
    private final StageMeter meter;

    ForEachSink(Consumer<? super T> consumer, StageMeter meter) {
        this.loop = Loop.of(LOOPS, consumer);
        this.consumer = consumer;
        this.meter = meter;
    }

    @Override
    public void run(Stage<T> upstream) throws InterruptedException {
        Batch<T> batch;
        while ((batch = upstream.pull(Stage.NEVER)) != null) {
            if (!batch.isEmpty()) {
                long start = System.nanoTime();
                int size = loop.run(batch, consumer);
                meter.worked(size, size, start);
                batch.release();
            }
        }
    }

    /** Calls the consumer with each element. */
    private static final class ConsumerLoop<T> implements Loop<T, Consumer<? super T>> {

        @Override
        public int run(Batch<T> batch, Consumer<? super T> consumer) {
            int size = batch.size();
            for (int i = 0; i < size; i++) {
                if (!batch.dropIfRevoked(i)) {
                    consumer.accept(batch.get(i));
                    batch.ack(i);
                }
            }
            return size;
        }
    }
}
