package dev.weir.stream.internal.run;

import dev.weir.stream.spi.Stage;
import java.util.function.Function;

/** Creates parts of a blueprint whose stages have a common name prefix. Stateless. */
public final class BlueprintParts {

    private BlueprintParts() {}

    /**
     * Returns the operators that {@code part} adds to {@code above}. The names of their stages start with
     * {@code prefix}.
     *
     * <p>Stages are built from upstream to downstream. The prefix is therefore set after everything upstream has been
     * built, and reset after the last stage of the part.
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
