/**
 * Creates the records that drivers receive, including record numbers, keys and values, and writes them with a producer.
 * Confined to the campaign's thread.
 */
@NullMarked
package dev.weir.bench.fill;

import org.jspecify.annotations.NullMarked;
