/**
 * Turns a blueprint into segments and threads, owns them, and ends them. A blueprint comes in, a running pipeline goes
 * out; assembly runs on the caller's thread, everything after it on tasks of one {@code TaskGroup}.
 */
@NullMarked
package dev.weir.stream.internal.run;

import org.jspecify.annotations.NullMarked;
