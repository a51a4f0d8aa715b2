/**
 * {@code weir demo --tune}: versions of the Asimov pipeline run over the same events, each based on measurements of the
 * previous one. A command line comes in, a line per step goes out; the command's thread runs everything.
 */
@NullMarked
package dev.weir.cli.tune;

import org.jspecify.annotations.NullMarked;
