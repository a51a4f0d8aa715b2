/**
 * The drivers' processes: the catalog of built drivers, their start and end, and the exchange with them about one
 * point. Confined to the campaign's thread, except for stopping them.
 */
@NullMarked
package dev.weir.bench.process;

import org.jspecify.annotations.NullMarked;
