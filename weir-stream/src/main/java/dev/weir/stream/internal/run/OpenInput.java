package dev.weir.stream.internal.run;

/**
 * The open input of a part of a blueprint. The part is the result of a user's function that takes a source and returns
 * one. The stage that feeds the input is known only when a run is assembled. Compared by identity. Immutable.
 */
public final class OpenInput<T> {

    private final BlueprintNode<T> node =
            new BlueprintNode<>("input", (assembly, attributes) -> assembly.filling(this));

    /** Returns the node that represents the stage that will feed this input. */
    public BlueprintNode<T> node() {
        return node;
    }
}
