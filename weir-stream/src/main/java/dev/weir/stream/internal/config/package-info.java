/**
 * Reads configuration: turns text into validated values, and names the location of anything invalid. Runs on the
 * caller's thread and keeps no state.
 */
@NullMarked
package dev.weir.stream.internal.config;

import org.jspecify.annotations.NullMarked;
