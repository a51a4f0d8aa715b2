/**
 * Handling of exceptions and slowness: the common part of supervision, and the operators that recover, restart, time
 * out, watch and switch off. A failure is returned by a pull. Each stage is confined to its segment; only switches and
 * stop hooks are called from other threads.
 */
@NullMarked
package dev.weir.stream.internal.failure;

import org.jspecify.annotations.NullMarked;
