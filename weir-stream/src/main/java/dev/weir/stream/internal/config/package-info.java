/**
 * Reads configuration: text comes in, checked values go out, and anything invalid is refused with its place. Runs on
 * the caller's thread and keeps nothing.
 */
@NullMarked
package dev.weir.stream.internal.config;

import org.jspecify.annotations.NullMarked;
