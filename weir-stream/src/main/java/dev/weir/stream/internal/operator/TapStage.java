package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.internal.run.Specialised;
import dev.weir.stream.spi.Batch;
import java.lang.invoke.MethodHandles;
import java.util.function.Consumer;

/** Shows each element to a consumer. Confined to the thread of its segment. */
final class TapStage<T> extends InPlaceStage<T, T> {

    private static final Specialised<Loop<?, ?>> LOOPS = Specialised.of(MethodHandles.lookup(), new TapLoop<>());

    private final Loop<T, TapStage<T>> loop;
    private final Consumer<? super T> consumer;

    private TapStage(Wiring<T> wiring, Consumer<? super T> consumer) {
        super(wiring);
        this.loop = Loop.of(LOOPS, consumer);
        this.consumer = consumer;
    }

    static <T> Node<T> node(Node<T> above, Consumer<? super T> consumer) {
        return Wiring.node("tap", above, wiring -> new TapStage<>(wiring, consumer));
    }

    private T again(T element) {
        consumer.accept(element);
        return element;
    }

    @Override
    protected int rework(Batch<T> batch) throws InterruptedException {
        return loop.run(batch, this);
    }

    /** Shows each element to the consumer. */
    private static final class TapLoop<T> implements Loop<T, TapStage<T>> {

        @Override
        public int run(Batch<T> batch, TapStage<T> stage) throws InterruptedException {
            Consumer<? super T> consumer = stage.consumer;
            int size = batch.size();
            int kept = 0;
            for (int i = 0; i < size; i++) {
                try {
                    consumer.accept(batch.get(i));
                } catch (Throwable thrown) {
                    Object outcome = stage.after(thrown, stage::again, batch, kept, i);
                    if (outcome instanceof Verdict verdict) {
                        if (verdict.fails()) {
                            break;
                        }
                        continue;
                    }
                }
                batch.move(i, kept++);
            }
            return kept;
        }
    }
}
