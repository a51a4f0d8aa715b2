/**
 * What may be changed of a pipeline while it runs, and what its threads do. The handles here are found by {@link
 * dev.weir.stream.RunningPipeline#handles}; any thread may call them.
 */
@NullMarked
package dev.weir.stream.control;

import org.jspecify.annotations.NullMarked;
