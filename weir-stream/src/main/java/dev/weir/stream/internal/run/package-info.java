/**
 * Turns a blueprint into a running pipeline: chains of stages with their threads and their end. Assembly runs on the
 * caller's thread; everything after it runs on tasks of one {@code TaskGroup}.
 */
@NullMarked
package dev.weir.stream.internal.run;

import org.jspecify.annotations.NullMarked;
