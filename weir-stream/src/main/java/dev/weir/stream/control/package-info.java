/**
 * Settings of a pipeline that can be changed while it runs, and the work of its threads. The handles here are found by
 * {@link dev.weir.stream.RunningPipeline#handles}; any thread may call them.
 */
@NullMarked
package dev.weir.stream.control;

import org.jspecify.annotations.NullMarked;
