/**
 * Handles for inspecting and changing a running pipeline, one set per run. They may be called from any thread; the lock
 * of the stage or dispatcher serialises changes.
 */
@NullMarked
package dev.weir.stream.internal.steering;

import org.jspecify.annotations.NullMarked;
