/**
 * The {@code weir} command: {@link dev.weir.cli.Weir} is started, {@link dev.weir.cli.Main} parses and runs; each
 * command has a package of its own below this one, and knows none of the others. The only packages of Weir that print
 * to the terminal or end the process.
 */
@NullMarked
package dev.weir.cli;

import org.jspecify.annotations.NullMarked;
