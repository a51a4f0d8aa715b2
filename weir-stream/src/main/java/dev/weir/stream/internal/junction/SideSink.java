package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.run.OpenInput;
import dev.weir.stream.internal.run.RunAssembly;
import java.util.function.Consumer;

/**
 * A sink closed over an upper end of its own. Immutable.
 *
 * @param builder adds all its stages and closes their segments
 */
public record SideSink<T>(OpenInput<T> input, Consumer<RunAssembly> builder) {}
