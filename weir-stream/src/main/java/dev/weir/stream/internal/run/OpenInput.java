package dev.weir.stream.internal.run;

/**
 * The open input of a part of a blueprint. The part is built by a user's function that receives and returns a source.
 * The stage that feeds the input is known only when the blueprint is built. Compared by identity. Immutable.
 */
public final class OpenInput<T> {

    private final BlueprintNode<T> node =
            new BlueprintNode<>("input", (assembly, attributes) -> assembly.filling(this));

    /** Returns the node that represents the stage that will feed this input. */
    public BlueprintNode<T> node() {
        return node;
    }
}
