/**
 * {@code weir demo}: a broker, traffic, the example pipeline and a verification of its output, in one process. The main
 * thread runs it from step to step; traffic has a thread of its own.
 */
@NullMarked
package dev.weir.cli.demo;

import org.jspecify.annotations.NullMarked;
