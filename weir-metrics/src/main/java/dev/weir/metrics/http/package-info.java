/**
 * A small HTTP server for {@link dev.weir.metrics.MetricsServer} and the console: a platform thread per connection,
 * limits, and a deadline per response. Handlers run on the connection's thread.
 */
@NullMarked
package dev.weir.metrics.http;

import org.jspecify.annotations.NullMarked;
