/**
 * For Weir's own modules. Connections to brokers: requests and responses of Kafka's message classes go over the
 * sockets of the lean consumer, with its security settings and its way of connecting again; one thread owns all of it.
 * The choice of the broker that is asked for metadata, and the division of partitions among lean threads. The
 * exception that ends a run whose own rules are broken.
 */
@NullMarked
package dev.weir.lean.spi;

import org.jspecify.annotations.NullMarked;
