/**
 * {@code weir demo}: a broker, generated traffic, the example pipeline and a check of its output, in one process. The
 * main thread runs the steps; the traffic has its own thread.
 */
@NullMarked
package dev.weir.cli.demo;

import org.jspecify.annotations.NullMarked;
