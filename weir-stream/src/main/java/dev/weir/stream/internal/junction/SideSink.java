package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.run.Assembly;
import dev.weir.stream.internal.run.Hole;
import java.util.function.Consumer;

/**
 * A sink closed over an upper end of its own. Immutable.
 *
 * @param builder adds all its stages and closes their segments
 */
public record SideSink<T>(Hole<T> hole, Consumer<Assembly> builder) {}
