/**
 * The types that user code works with: a {@link dev.weir.stream.Source}, operators on it, a
 * {@link dev.weir.stream.Sink}, and the {@link dev.weir.stream.RunningPipeline} that comes out. Blueprints are
 * immutable and may be shared; a running pipeline owns its threads.
 */
@NullMarked
package dev.weir.stream;

import org.jspecify.annotations.NullMarked;
