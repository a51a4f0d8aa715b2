/**
 * {@code weir demo}: a broker, traffic, the example pipeline and a verification of its output, in one process. The main
 * thread runs the steps; traffic has its own thread.
 */
@NullMarked
package dev.weir.cli.demo;

import org.jspecify.annotations.NullMarked;
