/**
 * Explains what limited each driver: a judged campaign comes in, the limiter of each point and driver goes out, with
 * the figures that show it, or without a name if none do. Pure functions without threads or clocks.
 */
@NullMarked
package dev.weir.bench.explain;

import org.jspecify.annotations.NullMarked;
