/**
 * The records that drivers read: their number, keys and values, and the producer that writes them. The lowest layer of
 * the harness: it knows workloads and a client's settings, but no broker. Confined to the campaign's thread.
 */
@NullMarked
package dev.weir.bench.fill;

import org.jspecify.annotations.NullMarked;
