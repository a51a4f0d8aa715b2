/**
 * Handles that change settings of a running pipeline and show the activity of its threads.
 * {@link dev.weir.stream.RunningPipeline#handles} finds them; any thread may call them.
 */
@NullMarked
package dev.weir.stream.control;

import org.jspecify.annotations.NullMarked;
