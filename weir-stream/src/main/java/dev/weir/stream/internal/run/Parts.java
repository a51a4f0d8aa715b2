package dev.weir.stream.internal.run;

import dev.weir.stream.spi.Stage;
import java.util.function.Function;

/** Parts of a blueprint whose stages share the beginning of their names. Functions only. */
public final class Parts {

    private Parts() {}

    /**
     * The operators that {@code part} adds below {@code above}, under names that begin with {@code prefix}.
     *
     * <p>Stages are built upstream first. So the prefix is set when all above is built, and taken back after the last
     * of the part.
     */
    public static <T, R> Node<R> named(String prefix, Node<T> above, Function<Node<T>, Node<R>> part) {
        Node<T> entry = new Node<>(above.attributes(), (assembly, attributes) -> {
            Stage<T> stage = above.builder().build(assembly, attributes);
            assembly.prefix(assembly.prefix() + prefix);
            return stage;
        });
        Node<R> last = part.apply(entry);
        return new Node<>(last.attributes(), (assembly, attributes) -> {
            String outside = assembly.prefix();
            Stage<R> stage = last.builder().build(assembly, attributes);
            assembly.prefix(outside);
            return stage;
        });
    }
}
