/**
 * Connections: requests go out as bytes, responses come in as bytes in a reused buffer, in order. Runs on the polling
 * thread; a receive buffer belongs to its connection until a chunk retains it.
 */
@NullMarked
package dev.weir.lean.internal.net;

import org.jspecify.annotations.NullMarked;
