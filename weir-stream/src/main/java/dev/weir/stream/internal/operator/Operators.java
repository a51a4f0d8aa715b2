package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SinkFactory;
import dev.weir.stream.spi.SourceFactory;
import dev.weir.stream.spi.Stage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/** The door of this package: one method for each operator, behind the facade's methods. Stateless. */
public final class Operators {

    private Operators() {}

    public static <T> Node<T> iterable(Iterable<? extends T> elements) {
        return IteratorSource.node(elements);
    }

    /** A source that somebody else implements. */
    public static <T> Node<T> custom(String name, SourceFactory<T> factory) {
        return new Node<>(name, (assembly, attributes) -> assembly.source(factory.create(assembly.fused(attributes))));
    }

    public static <T, R> Node<R> map(Node<T> above, Function<? super T, ? extends R> function) {
        return MapStage.node(above, function);
    }

    public static <T> Node<T> filter(Node<T> above, Predicate<? super T> keep) {
        return FilterStage.node(above, keep);
    }

    public static <T, R> Node<R> mapConcat(
            Node<T> above, Function<? super T, ? extends Iterable<? extends R>> function) {
        return MapConcatStage.node(above, function);
    }

    /** A sink that hands each element to {@code consumer} and acknowledges it when that returns. */
    public static <T> SinkFactory<T> forEach(Consumer<? super T> consumer) {
        return context -> upstream -> {
            Batch<T> batch;
            while ((batch = upstream.pull(Stage.NEVER)) != null) {
                long start = System.nanoTime();
                for (int i = 0; i < batch.size(); i++) {
                    consumer.accept(batch.get(i));
                    batch.ack(i);
                }
                context.meter().worked(batch.size(), batch.size(), start);
            }
        };
    }

    /** A sink that acknowledges whatever comes. */
    public static <T> SinkFactory<T> ignore() {
        return context -> upstream -> {
            Batch<T> batch;
            while ((batch = upstream.pull(Stage.NEVER)) != null) {
                long start = System.nanoTime();
                batch.ackAll();
                context.meter().worked(batch.size(), batch.size(), start);
            }
        };
    }
}
