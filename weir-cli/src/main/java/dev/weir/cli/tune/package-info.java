/**
 * {@code weir demo --tune}: versions of the Asimov pipeline run over the same events, each made from what was measured
 * of the one before. A command line comes in, a line for each step goes out; the thread of the command runs it all.
 */
@NullMarked
package dev.weir.cli.tune;

import org.jspecify.annotations.NullMarked;
