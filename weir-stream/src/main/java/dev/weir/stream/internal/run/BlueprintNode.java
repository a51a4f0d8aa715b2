package dev.weir.stream.internal.run;

import dev.weir.stream.Attributes;
import dev.weir.stream.spi.Stage;

/**
 * One stage of a blueprint with all that is above it. Immutable.
 *
 * @param attributes attributes of the stage; the name is always set
 * @param builder makes the running stage, upstream first
 */
public record BlueprintNode<T>(Attributes attributes, Builder<T> builder) {

    /** Makes the running form of a stage. */
    @FunctionalInterface
    public interface Builder<T> {

        Stage<T> build(RunAssembly assembly, StageAttributes attributes);
    }

    /** A stage under its default name. */
    public BlueprintNode(String name, Builder<T> builder) {
        this(Attributes.named(name), builder);
    }

    /**
     * Builds this stage and all above it into {@code assembly}.
     *
     * @throws IllegalArgumentException if the stage does not support one of its attributes
     */
    public Stage<T> build(RunAssembly assembly) {
        StageAttributes heeded = new StageAttributes(attributes);
        Stage<T> stage = builder.build(assembly, heeded);
        // A probe skips externally visible effects.
        if (!assembly.isProbe()) {
            heeded.refuseUnread();
        } else if (heeded.waitsBetweenAttempts()) {
            assembly.noteWaits();
        }
        return stage;
    }

    /** The same stage with additional attributes. */
    public BlueprintNode<T> with(Attributes more) {
        return new BlueprintNode<>(StageAttributes.merge(more, attributes), builder);
    }
}
