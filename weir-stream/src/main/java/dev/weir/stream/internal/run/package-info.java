/**
 * Turns a blueprint into chains of stages with threads, owns them, and ends them. The input is a blueprint; the result
 * is a running pipeline. Assembly runs on the caller's thread; everything after it runs on tasks of one
 * {@code TaskGroup}.
 */
@NullMarked
package dev.weir.stream.internal.run;

import org.jspecify.annotations.NullMarked;
