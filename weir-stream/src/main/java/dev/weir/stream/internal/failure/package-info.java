/**
 * Supervision, and the operators that recover, restart, time out, watch, or end streams. A stage reports a failure by
 * throwing it from a pull. Each stage is confined to one thread; only switches and stop hooks are called from other
 * threads.
 */
@NullMarked
package dev.weir.stream.internal.failure;

import org.jspecify.annotations.NullMarked;
