package dev.weir.stream;

import dev.weir.stream.internal.operator.Operators;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.SourceFactory;
import java.util.Arrays;
import java.util.Objects;

/**
 * The blueprint of a stream: where elements come from and what is done with them. Immutable and free to share; nothing
 * runs until a {@link Pipeline} made of it does.
 *
 * <p>Operators between two asynchronous boundaries run fused on one thread, batch by batch. Functions given to fused
 * operators are called by one thread at a time and must not block; for work that blocks there is {@link #mapBlocking},
 * for heavy computing {@link #mapParallel}. An exception out of any function fails the pipeline; the element that caused
 * it and all that are unfinished stay unacknowledged.
 *
 * <p>Elements are never null.
 */
public final class Source<T> extends FailureOperators<T> {

    private final Node<T> node;

    private Source(Node<T> node) {
        this.node = node;
    }

    /** The source whose last stage is {@code node}; for operators. */
    static <T> Source<T> at(Node<T> node) {
        return new Source<>(node);
    }

    @Override
    Node<T> node() {
        return node;
    }

    /** A source implemented elsewhere. */
    public static <T> Source<T> custom(String name, SourceFactory<T> factory) {
        return new Source<>(Operators.custom(name, factory));
    }

    /** Emits the elements of an iterable, anew in each run. */
    public static <T> Source<T> from(Iterable<? extends T> elements) {
        return new Source<>(Operators.iterable(Objects.requireNonNull(elements, "elements")));
    }

    /** Emits the given elements. */
    @SafeVarargs
    @SuppressWarnings("varargs") // the copy is only read
    public static <T> Source<T> of(T... elements) {
        return from(Arrays.asList(elements.clone()));
    }

    /** Gives the operator above a name for snapshots and threads. */
    public Source<T> named(String name) {
        return with(Attributes.named(name));
    }

    /** Says more of the operator above: name, dispatcher, buffer, supervision. What it does not heed is ignored. */
    public Source<T> with(Attributes attributes) {
        return new Source<>(node.with(attributes));
    }

    /** Closes the blueprint with a sink. */
    public Pipeline to(Sink<? super T> sink) {
        return sink.close(this);
    }
}
