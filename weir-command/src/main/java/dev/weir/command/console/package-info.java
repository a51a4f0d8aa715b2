/**
 * The options of commands that serve a console: its address and the file with its token. Input: arguments of the
 * command. Output: a running server, which the command owns and closes.
 */
@NullMarked
package dev.weir.command.console;

import org.jspecify.annotations.NullMarked;
