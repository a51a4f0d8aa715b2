package dev.weir.stream.internal.grouping;

import java.util.Iterator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Iterates over an element and then over its extrapolation, which is computed on demand. Confined to one thread. */
final class ExtrapolatedElement<T> implements Iterator<T> {

    private final T element;
    private final Function<? super T, ? extends Iterator<? extends T>> extrapolator;

    private boolean begun;
    private @Nullable Iterator<? extends T> guesses;

    ExtrapolatedElement(T element, Function<? super T, ? extends Iterator<? extends T>> extrapolator) {
        this.element = element;
        this.extrapolator = extrapolator;
    }

    @Override
    public boolean hasNext() {
        return !begun || guesses().hasNext();
    }

    @Override
    public T next() {
        if (begun) {
            return guesses().next();
        }
        begun = true;
        return element;
    }

    private Iterator<? extends T> guesses() {
        if (guesses == null) {
            guesses = extrapolator.apply(element);
        }
        return guesses;
    }
}
