package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.failure.Verdict;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Drops each element whose key equals that of the element before it. */
final class DropRepeatedStage<T> extends InPlaceStage<T, T> {

    private final Function<? super T, ?> key;

    /** The key of the element before, or null before the first. */
    private @Nullable Object last;

    private DropRepeatedStage(Wiring<T> wiring, Function<? super T, ?> key) {
        super(wiring);
        this.key = key;
    }

    static <T> Node<T> node(Node<T> above, Function<? super T, ?> key) {
        return Wiring.node("dropRepeated", above, wiring -> new DropRepeatedStage<>(wiring, key));
    }

    @Override
    int rework(Batch<T> batch) throws InterruptedException {
        int size = batch.size();
        int kept = 0;
        for (int i = 0; i < size; i++) {
            boolean repeated;
            try {
                repeated = isRepeated(batch.get(i));
            } catch (Throwable thrown) {
                Object outcome = after(thrown, this::isRepeated, batch, kept, i);
                if (outcome instanceof Verdict verdict) {
                    if (verdict.fails()) {
                        break;
                    }
                    continue;
                }
                repeated = (boolean) outcome;
            }
            if (repeated) {
                batch.ack(i);
            } else {
                batch.move(i, kept++);
            }
        }
        return kept;
    }

    private boolean isRepeated(T element) {
        Object current = Objects.requireNonNull(key.apply(element), "a key of dropRepeated is null");
        boolean repeated = current.equals(last);
        last = current;
        return repeated;
    }

    @Override
    void restart() {
        last = null;
    }
}
