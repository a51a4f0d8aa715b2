/**
 * Connections: requests as bytes go out, responses as bytes in a reused buffer come in, in order. Runs on the thread
 * that polls; a receive buffer is its connection's, and lent to whoever retains it.
 */
@NullMarked
package dev.weir.lean.internal.net;

import org.jspecify.annotations.NullMarked;
