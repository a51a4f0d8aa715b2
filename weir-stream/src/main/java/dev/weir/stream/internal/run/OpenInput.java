package dev.weir.stream.internal.run;

/**
 * The open input of a part of a blueprint. A function from source to source builds that part. The stage that feeds the
 * input is known only when the blueprint is built. Compared by identity. Immutable.
 */
public final class OpenInput<T> {

    private final BlueprintNode<T> node =
            new BlueprintNode<>("input", (assembly, attributes) -> assembly.filling(this));

    /** Returns the node from which the blueprint's stages continue. */
    public BlueprintNode<T> node() {
        return node;
    }
}
