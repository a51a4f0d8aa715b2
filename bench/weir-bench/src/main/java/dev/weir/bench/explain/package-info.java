/**
 * Explains what limited each driver at each point of a judged campaign. An explanation names the limiter if figures
 * show one, and contains the figures. Pure functions without threads or clocks.
 */
@NullMarked
package dev.weir.bench.explain;

import org.jspecify.annotations.NullMarked;
