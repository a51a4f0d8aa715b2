package dev.weir.stream.internal.run;

/**
 * The open input of a blueprint, to which a function from source to source is applied. Its stage is known only when the
 * blueprint is built. Compared by identity. Immutable.
 */
public final class OpenInput<T> {

    private final BlueprintNode<T> node =
            new BlueprintNode<>("input", (assembly, attributes) -> assembly.filling(this));

    /** Returns the node from which the blueprint's stages continue. */
    public BlueprintNode<T> node() {
        return node;
    }
}
