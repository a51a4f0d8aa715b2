package dev.weir.stream.internal.run;

/**
 * The open upper end of a blueprint: a stage that is known only when the blueprint is built. What a function from source
 * to source is applied to. Compared by identity.
 */
public final class Hole<T> {

    private final Node<T> node = new Node<>("input", (assembly, attributes) -> assembly.filling(this));

    /** The node to put the blueprint's stages below. */
    public Node<T> node() {
        return node;
    }
}
