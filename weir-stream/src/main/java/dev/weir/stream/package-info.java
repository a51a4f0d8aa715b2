/**
 * The types that user code works with: a {@link dev.weir.stream.Source}, its operators, a {@link dev.weir.stream.Sink},
 * and the resulting {@link dev.weir.stream.RunningPipeline}. Blueprints are immutable and can be used any number of
 * times; a running pipeline owns its threads.
 */
@NullMarked
package dev.weir.stream;

import org.jspecify.annotations.NullMarked;
