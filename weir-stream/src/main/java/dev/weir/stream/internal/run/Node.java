package dev.weir.stream.internal.run;

import dev.weir.stream.spi.Stage;

/**
 * One stage of a blueprint with all that is above it. Immutable.
 *
 * @param name what it is called unless another stage of the run has that name already
 * @param builder makes the running stage, upstream first
 */
public record Node<T>(String name, Builder<T> builder) {

    /** Makes the running form of a stage. */
    @FunctionalInterface
    public interface Builder<T> {

        Stage<T> build(Assembly assembly, String name);
    }

    /** Builds this stage and all above it into {@code assembly}. */
    public Stage<T> build(Assembly assembly) {
        return builder.build(assembly, name);
    }

    public Node<T> named(String newName) {
        return new Node<>(newName, builder);
    }
}
