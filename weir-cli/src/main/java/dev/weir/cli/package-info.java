/**
 * The program {@code weir}. It starts in {@link dev.weir.cli.Weir}; {@link dev.weir.cli.Main} parses and runs a
 * command. Each command has its own package below this one, and uses no other command. These are the only packages of
 * Weir that print to the terminal or end the process.
 */
@NullMarked
package dev.weir.cli;

import org.jspecify.annotations.NullMarked;
