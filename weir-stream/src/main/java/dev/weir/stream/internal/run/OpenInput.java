package dev.weir.stream.internal.run;

/**
 * The open input of a part of a blueprint. The stage that feeds it becomes known when a run is assembled. Compared by
 * identity. Immutable.
 */
public final class OpenInput<T> {

    private final BlueprintNode<T> node =
            new BlueprintNode<>("input", (assembly, attributes) -> assembly.filling(this));

    /** Returns the node that stands for the feeding stage. */
    public BlueprintNode<T> node() {
        return node;
    }
}
