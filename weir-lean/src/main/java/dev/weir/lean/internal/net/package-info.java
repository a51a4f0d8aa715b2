/**
 * Connections to brokers. They send requests and receive the responses in order, as bytes in reused buffers. Runs on
 * the polling thread. A receive buffer belongs to its connection until a chunk retains it.
 */
@NullMarked
package dev.weir.lean.internal.net;

import org.jspecify.annotations.NullMarked;
