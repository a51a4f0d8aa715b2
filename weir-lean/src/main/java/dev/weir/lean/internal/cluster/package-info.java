/**
 * Metadata for consumers and producers: brokers, topic ids and partition leaders. Also contains the backoff between
 * retries. Does no I/O. The thread of each client has its own instances.
 */
@NullMarked
package dev.weir.lean.internal.cluster;

import org.jspecify.annotations.NullMarked;
