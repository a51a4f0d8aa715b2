package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import java.util.function.Consumer;

/** Shows each element to a consumer. */
final class TapStage<T> extends InPlaceStage<T, T> {

    private final Consumer<? super T> consumer;

    private TapStage(Wiring<T> wiring, Consumer<? super T> consumer) {
        super(wiring);
        this.consumer = consumer;
    }

    static <T> Node<T> node(Node<T> above, Consumer<? super T> consumer) {
        return Wiring.node("tap", above, wiring -> new TapStage<>(wiring, consumer));
    }

    @Override
    int rework(Batch<T> batch) throws InterruptedException {
        int size = batch.size();
        int kept = 0;
        for (int i = 0; i < size; i++) {
            try {
                show(batch.get(i));
            } catch (Throwable thrown) {
                if (after(thrown, this::show, batch, i) instanceof Verdict verdict) {
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

    private T show(T element) {
        consumer.accept(element);
        return element;
    }
}
