/**
 * {@code weir demo --tune}: runs versions of the Asimov pipeline over the same events, each based on measurements of
 * the previous one. Input: a command line. Output: a line per step. The command's thread runs everything.
 */
@NullMarked
package dev.weir.cli.tune;

import org.jspecify.annotations.NullMarked;
