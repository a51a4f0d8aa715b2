/**
 * A small HTTP server used by {@link dev.weir.metrics.MetricsServer} and the console, with a platform thread per
 * connection, limits, and a deadline for each response. A handler runs on the connection's thread.
 */
@NullMarked
package dev.weir.metrics.http;

import org.jspecify.annotations.NullMarked;
