/**
 * The handles for inspecting and changing a running pipeline. They may be called from any thread; changes are ordered
 * by the lock of the stage or dispatcher. Each handle belongs to one run.
 */
@NullMarked
package dev.weir.stream.internal.steering;

import org.jspecify.annotations.NullMarked;
