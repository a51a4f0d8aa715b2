package dev.weir.stream.internal.run;

import dev.weir.stream.Attributes;
import dev.weir.stream.spi.Stage;

/**
 * One stage of a blueprint with all that is above it. Immutable.
 *
 * @param attributes what was said of the stage; the name always
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
     * @throws IllegalArgumentException if the stage does not heed an attribute of its own
     */
    public Stage<T> build(RunAssembly assembly) {
        StageAttributes heeded = new StageAttributes(attributes);
        Stage<T> stage = builder.build(assembly, heeded);
        // A probe leaves out what would be seen from outside.
        if (!assembly.isProbe()) {
            heeded.refuseUnread();
        } else if (heeded.waitsBetweenAttempts()) {
            assembly.noteWaits();
        }
        return stage;
    }

    /** The same stage with more said of it. */
    public BlueprintNode<T> with(Attributes more) {
        return new BlueprintNode<>(StageAttributes.merge(more, attributes), builder);
    }
}
