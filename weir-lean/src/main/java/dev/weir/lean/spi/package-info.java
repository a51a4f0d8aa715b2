/**
 * Types for Weir's own modules only. {@link BrokerLinks} exchanges Kafka's message classes with brokers, over the lean
 * consumer's sockets and security settings. All connections of an instance belong to one thread. Other classes choose
 * the broker for metadata requests and divide partitions among lean threads. {@link InvariantException} reports a
 * violated invariant.
 */
@NullMarked
package dev.weir.lean.spi;

import org.jspecify.annotations.NullMarked;
