package dev.weir.stream.internal.run;

import dev.weir.stream.Attributes;
import dev.weir.stream.spi.Stage;

/**
 * One stage of a blueprint, including all its upstream stages. Immutable.
 *
 * @param attributes the stage's attributes; the name is always set
 * @param builder creates the running stages, from upstream to downstream
 */
public record BlueprintNode<T>(Attributes attributes, Builder<T> builder) {

    /** Creates a stage for one run. */
    @FunctionalInterface
    public interface Builder<T> {

        Stage<T> build(RunAssembly assembly, StageAttributes attributes);
    }

    /** Creates a stage with its default name. */
    public BlueprintNode(String name, Builder<T> builder) {
        this(Attributes.named(name), builder);
    }

    /**
     * Builds this stage and all its upstream stages in {@code assembly}.
     *
     * @throws IllegalArgumentException if the stage does not support one of its attributes
     */
    public Stage<T> build(RunAssembly assembly) {
        StageAttributes heeded = new StageAttributes(attributes);
        Stage<T> stage = builder.build(assembly, heeded);
        // A probe does not create stages with external effects, so some attributes remain unread.
        if (!assembly.isProbe()) {
            heeded.refuseUnread();
        } else if (heeded.waitsBetweenAttempts()) {
            assembly.noteWaits();
        }
        return stage;
    }

    public BlueprintNode<T> with(Attributes more) {
        return new BlueprintNode<>(StageAttributes.merge(more, attributes), builder);
    }
}
