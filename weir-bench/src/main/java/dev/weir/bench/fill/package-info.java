/**
 * The records that drivers read: how many, with which keys and values, and the producer that writes them. Lowest of the
 * harness: it knows workloads and a client's settings, no broker. Confined to the campaign's thread.
 */
@NullMarked
package dev.weir.bench.fill;

import org.jspecify.annotations.NullMarked;
