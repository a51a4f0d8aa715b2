package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.run.OpenInput;
import dev.weir.stream.internal.run.RunAssembly;
import java.util.function.Consumer;

/**
 * A complete sink with an open input. Immutable.
 *
 * @param builder adds all of the sink's stages and closes their segments
 */
public record SideSink<T>(OpenInput<T> input, Consumer<RunAssembly> builder) {}
