/**
 * Connections to brokers for Weir's own modules: requests and responses of Kafka's message classes go over the
 * sockets of the lean consumer, with its security settings and its way of connecting again. One thread owns all of it.
 */
@NullMarked
package dev.weir.lean.spi;

import org.jspecify.annotations.NullMarked;
