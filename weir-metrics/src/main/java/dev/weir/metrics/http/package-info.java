/**
 * The small HTTP server below {@link dev.weir.metrics.MetricsServer} and the console: a virtual thread for each
 * connection, limits, and a deadline for each response. A handler answers requests on the connection's thread.
 */
@NullMarked
package dev.weir.metrics.http;

import org.jspecify.annotations.NullMarked;
