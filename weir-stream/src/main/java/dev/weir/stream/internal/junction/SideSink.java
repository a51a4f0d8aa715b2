package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.run.OpenInput;
import dev.weir.stream.internal.run.RunAssembly;
import java.util.function.Consumer;

/**
 * A complete sink except for its input, which is open. Immutable.
 *
 * @param builder adds all of the sink's stages, which run on their own threads
 */
public record SideSink<T>(OpenInput<T> input, Consumer<RunAssembly> builder) {}
