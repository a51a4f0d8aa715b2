/**
 * Metadata for consumers and producers: brokers, topic ids and partition leaders; also retry backoffs. Does no I/O.
 * Each client has its own instances, confined to the client's thread.
 */
@NullMarked
package dev.weir.lean.internal.cluster;

import org.jspecify.annotations.NullMarked;
