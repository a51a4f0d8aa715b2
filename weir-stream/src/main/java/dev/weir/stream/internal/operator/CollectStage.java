package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Replaces each element, and drops those that have no replacement. */
final class CollectStage<T, R> extends InPlaceStage<T, R> {

    private final Function<? super T, @Nullable R> function;

    private CollectStage(Wiring<T> wiring, Function<? super T, @Nullable R> function) {
        super(wiring);
        this.function = function;
    }

    static <T, R> Node<R> node(Node<T> above, Function<? super T, @Nullable R> function) {
        return Wiring.node("collect", above, wiring -> new CollectStage<T, R>(wiring, function));
    }

    @Override
    int rework(Batch<T> batch) throws InterruptedException {
        int size = batch.size();
        int kept = 0;
        for (int i = 0; i < size; i++) {
            Object result;
            try {
                result = call(batch.get(i));
            } catch (Throwable thrown) {
                Object outcome = after(thrown, this::call, batch, i);
                if (outcome instanceof Verdict verdict) {
                    if (verdict.fails()) {
                        break;
                    }
                    continue;
                }
                result = outcome;
            }
            if (result == NOTHING) {
                batch.ack(i);
            } else {
                batch.set(i, result);
                batch.move(i, kept++);
            }
        }
        return kept;
    }

    private Object call(T element) {
        R result = function.apply(element);
        return result == null ? NOTHING : result;
    }
}
