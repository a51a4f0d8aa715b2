/**
 * Changes of a running pipeline by name, and the timeline of them. Any thread may call; one change is made at a time.
 */
@NullMarked
package dev.weir.console.internal.control;

import org.jspecify.annotations.NullMarked;
