/**
 * Changes of a running pipeline's settings by name, and the timeline of these changes. May be called by any thread; one
 * change is applied at a time.
 */
@NullMarked
package dev.weir.console.internal.control;

import org.jspecify.annotations.NullMarked;
