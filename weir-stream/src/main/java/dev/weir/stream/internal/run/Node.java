package dev.weir.stream.internal.run;

import dev.weir.stream.Attributes;
import dev.weir.stream.spi.Stage;

/**
 * One stage of a blueprint with all that is above it. Immutable.
 *
 * @param attributes what was said of the stage; the name always
 * @param builder makes the running stage, upstream first
 */
public record Node<T>(Attributes attributes, Builder<T> builder) {

    /** Makes the running form of a stage. */
    @FunctionalInterface
    public interface Builder<T> {

        Stage<T> build(Assembly assembly, Attributes attributes);
    }

    /** A stage under its default name. */
    public Node(String name, Builder<T> builder) {
        this(Attributes.named(name), builder);
    }

    /** Builds this stage and all above it into {@code assembly}. */
    public Stage<T> build(Assembly assembly) {
        return builder.build(assembly, attributes);
    }

    /** The same stage with more said of it. */
    public Node<T> with(Attributes more) {
        return new Node<>(more.over(attributes), builder);
    }
}
