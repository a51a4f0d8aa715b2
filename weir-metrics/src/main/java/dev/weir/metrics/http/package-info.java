/**
 * The small HTTP server below {@link dev.weir.metrics.MetricsServer} and the console: with a virtual thread
 * for each connection, limits, and a deadline for each response. Requests come in; a handler answers them on the
 * connection's thread.
 */
@NullMarked
package dev.weir.metrics.http;

import org.jspecify.annotations.NullMarked;
