/**
 * Types for Weir's own modules. Contains broker connections that exchange Kafka's message classes over the lean
 * consumer's sockets, with its security settings and reconnects; one thread owns all of them. Also contains the choice
 * of the broker for metadata requests, the division of partitions among lean threads, and the exception for broken
 * invariants.
 */
@NullMarked
package dev.weir.lean.spi;

import org.jspecify.annotations.NullMarked;
