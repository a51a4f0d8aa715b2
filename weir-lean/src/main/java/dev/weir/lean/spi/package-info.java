/**
 * Types that are used only by Weir's own modules. {@link BrokerLinks} exchanges Kafka's message classes with brokers.
 * It uses the lean consumer's sockets and security settings, and reconnects like the lean consumer. All connections of
 * an instance belong to one thread. Other classes choose the broker for metadata requests and divide partitions among
 * lean threads. {@link InvariantException} reports a violated invariant.
 */
@NullMarked
package dev.weir.lean.spi;

import org.jspecify.annotations.NullMarked;
