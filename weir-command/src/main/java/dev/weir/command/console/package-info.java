/**
 * The options of commands with a console: its address and the file with its token. The command owns and closes the
 * server.
 */
@NullMarked
package dev.weir.command.console;

import org.jspecify.annotations.NullMarked;
