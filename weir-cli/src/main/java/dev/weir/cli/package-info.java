/**
 * The program {@code weir}. It starts in {@link dev.weir.cli.Weir}; {@link dev.weir.cli.Main} parses and runs a
 * command. Each command has a package below this one and does not use the packages of other commands. Only these
 * packages of Weir print to the terminal or end the process.
 */
@NullMarked
package dev.weir.cli;

import org.jspecify.annotations.NullMarked;
