/**
 * The small HTTP server below {@link dev.weir.metrics.MetricsServer} and the console: the JDK's own, with a virtual
 * thread for each request, limits, and a deadline for each response. Requests come in; a handler answers them on its
 * own thread.
 */
@NullMarked
package dev.weir.metrics.http;

import org.jspecify.annotations.NullMarked;
