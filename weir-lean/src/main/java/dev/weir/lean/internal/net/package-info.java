/**
 * Connections, which send requests as bytes and receive responses in order, as bytes in a reused buffer. Runs on the
 * polling thread. A receive buffer belongs to its connection until a chunk retains it.
 */
@NullMarked
package dev.weir.lean.internal.net;

import org.jspecify.annotations.NullMarked;
