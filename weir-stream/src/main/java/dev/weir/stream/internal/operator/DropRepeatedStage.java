package dev.weir.stream.internal.operator;

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
    int rework(Batch<T> batch) {
        int size = batch.size();
        int kept = 0;
        for (int i = 0; i < size; i++) {
            boolean repeated;
            try {
                Object current = Objects.requireNonNull(key.apply(batch.get(i)), "a key of dropRepeated is null");
                repeated = current.equals(last);
                last = current;
            } catch (Throwable thrown) {
                if (failsBy(thrown, batch, i)) {
                    break;
                }
                continue;
            }
            if (repeated) {
                batch.ack(i);
            } else {
                batch.move(i, kept++);
            }
        }
        return kept;
    }

    @Override
    void restart() {
        last = null;
    }
}
