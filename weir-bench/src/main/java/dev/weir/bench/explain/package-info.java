/**
 * The party that held a driver back: a judged campaign comes in, the named limiter of each point and driver goes out,
 * with the figures that show it, or with no name where no figure does. Pure functions without threads or clocks.
 */
@NullMarked
package dev.weir.bench.explain;

import org.jspecify.annotations.NullMarked;
