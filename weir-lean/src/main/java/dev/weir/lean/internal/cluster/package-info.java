/**
 * Knowledge about the cluster for consumer and producer: brokers, topic ids and leaders, all learned from metadata, and
 * the backoff between attempts. Does no I/O. Each client's thread owns its own objects.
 */
@NullMarked
package dev.weir.lean.internal.cluster;

import org.jspecify.annotations.NullMarked;
