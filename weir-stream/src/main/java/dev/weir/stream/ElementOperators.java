package dev.weir.stream;

import dev.weir.stream.internal.operator.Operators;
import dev.weir.stream.internal.run.Node;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;

/** Operators that look at one element at a time. Part of {@link Source}. */
abstract class ElementOperators<T> {

    /** The stage that was added last. */
    abstract Node<T> node();

    /** Replaces each element by what {@code function} makes of it. Its acknowledgement goes with it. */
    public <R> Source<R> map(Function<? super T, ? extends R> function) {
        return Source.at(Operators.map(node(), Objects.requireNonNull(function, "function")));
    }

    /** Keeps the elements that {@code keep} accepts; the others are acknowledged at once. */
    public Source<T> filter(Predicate<? super T> keep) {
        return Source.at(Operators.filter(node(), Objects.requireNonNull(keep, "keep")));
    }

    /**
     * Replaces each element by any number of others. It is acknowledged when the last of them is, or at once if there
     * are none. The iterable may be long: it is taken in as demand comes.
     */
    public <R> Source<R> mapConcat(Function<? super T, ? extends Iterable<? extends R>> function) {
        return Source.at(Operators.mapConcat(node(), Objects.requireNonNull(function, "function")));
    }
}
