/**
 * The option {@code --console} of commands that run a pipeline, and the command {@code weir console}, which queries and
 * steers a process that has a console. Input: addresses and settings. Output: a server, or the answers of a process.
 * The command that requests a server or an answer owns it.
 */
@NullMarked
package dev.weir.cli.console;

import org.jspecify.annotations.NullMarked;
