/**
 * The knowledge about the cluster that consumer and producer share: brokers, topic ids and leaders, learned from
 * metadata, and the waits between attempts. Does no input or output; each client's thread owns its own objects.
 */
@NullMarked
package dev.weir.lean.internal.cluster;

import org.jspecify.annotations.NullMarked;
