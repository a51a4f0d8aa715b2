/**
 * The types that user code works with: a {@link dev.weir.stream.Source}, the operators on it, a
 * {@link dev.weir.stream.Sink}, and the {@link dev.weir.stream.RunningPipeline} that results from running them.
 * Blueprints are immutable and can be used any number of times; a running pipeline owns its threads.
 */
@NullMarked
package dev.weir.stream;

import org.jspecify.annotations.NullMarked;
