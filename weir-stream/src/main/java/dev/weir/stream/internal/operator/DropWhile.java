package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.Node;
import java.util.function.Predicate;

/**
 * Drops elements until the first that a predicate refuses, and lets that and the others through. Confined to the thread
 * of its segment.
 */
final class DropWhile<T> implements FilterStage.Remembering<T> {

    private final Predicate<? super T> predicate;

    private boolean dropping = true;

    private DropWhile(Predicate<? super T> predicate) {
        this.predicate = predicate;
    }

    static <T> Node<T> node(Node<T> above, Predicate<? super T> predicate) {
        return FilterStage.remembering("dropWhile", above, () -> new DropWhile<>(predicate));
    }

    @Override
    public boolean test(T element) {
        if (dropping) {
            dropping = predicate.test(element);
        }
        return !dropping;
    }

    @Override
    public void restart() {
        dropping = true;
    }
}
