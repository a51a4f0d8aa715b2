package dev.weir.stream;

import dev.weir.stream.internal.operator.Operators;
import dev.weir.stream.spi.SinkFactory;
import java.util.Objects;
import java.util.function.Consumer;

/** The end of a pipeline's blueprint. Immutable and free to share: each run makes its own loop. */
public final class Sink<T> {

    final String name;
    final SinkFactory<T> factory;

    private Sink(String name, SinkFactory<T> factory) {
        this.name = Objects.requireNonNull(name, "name");
        this.factory = Objects.requireNonNull(factory, "factory");
    }

    /** A sink implemented elsewhere; it acknowledges what it is done with. */
    public static <T> Sink<T> custom(String name, SinkFactory<T> factory) {
        return new Sink<>(name, factory);
    }

    /** Calls {@code consumer} with each element, in order, on one thread, and acknowledges it when that returns. */
    public static <T> Sink<T> forEach(Consumer<? super T> consumer) {
        Objects.requireNonNull(consumer, "consumer");
        return new Sink<>("forEach", Operators.forEach(consumer));
    }

    /** Acknowledges each element and drops it. */
    public static <T> Sink<T> ignore() {
        return new Sink<>("ignore", Operators.ignore());
    }

    /** The same sink under another name in snapshots. */
    public Sink<T> named(String newName) {
        return new Sink<>(newName, factory);
    }
}
