/**
 * The handles for inspecting and changing a running pipeline. Any thread may call them; the lock of the stage
 * or dispatcher orders changes. Each handle belongs to one run.
 */
@NullMarked
package dev.weir.stream.internal.steering;

import org.jspecify.annotations.NullMarked;
