/**
 * The handles for inspecting and changing a running pipeline. They may be called from any thread; the lock of the stage
 * or dispatcher serialises changes. Each handle belongs to one run.
 */
@NullMarked
package dev.weir.stream.internal.steering;

import org.jspecify.annotations.NullMarked;
