/**
 * Handles that change settings of a running pipeline and show the activity of its threads.
 * {@link dev.weir.stream.RunningPipeline#handles} returns them. They may be called from any thread.
 */
@NullMarked
package dev.weir.stream.control;

import org.jspecify.annotations.NullMarked;
