package dev.weir.stream.internal.run;

import dev.weir.stream.spi.Stage;
import java.util.function.Function;

/** Creates parts of a blueprint with a common prefix in their stage names. Stateless. */
public final class BlueprintParts {

    private BlueprintParts() {}

    /**
     * Returns the operators that {@code part} adds to {@code above}. Their stage names start with {@code prefix}.
     *
     * <p>Stages are built from upstream to downstream. The first stage of the part sets the prefix, and the last stage
     * resets it.
     */
    public static <T, R> BlueprintNode<R> named(
            String prefix, BlueprintNode<T> above, Function<BlueprintNode<T>, BlueprintNode<R>> part) {
        BlueprintNode<T> entry = new BlueprintNode<>(above.attributes(), (assembly, attributes) -> {
            Stage<T> stage = above.builder().build(assembly, attributes);
            assembly.prefix(assembly.prefix() + prefix);
            return stage;
        });
        BlueprintNode<R> last = part.apply(entry);
        return new BlueprintNode<>(last.attributes(), (assembly, attributes) -> {
            String outside = assembly.prefix();
            Stage<R> stage = last.builder().build(assembly, attributes);
            assembly.prefix(outside);
            return stage;
        });
    }
}
