/**
 * The {@code weir} command: {@link dev.weir.cli.Main} parses and runs, one package-private class per subcommand.
 * The only package of Weir that prints to the terminal or ends the process.
 */
@NullMarked
package dev.weir.cli;

import org.jspecify.annotations.NullMarked;
