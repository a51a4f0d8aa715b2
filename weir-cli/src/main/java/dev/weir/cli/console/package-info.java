/**
 * The option {@code --console} of the commands that run a pipeline, and the command {@code weir console}, which queries
 * and steers such a process. Input: addresses and settings. Output: a server, or the answers of a process. The command
 * that requests them owns them.
 */
@NullMarked
package dev.weir.cli.console;

import org.jspecify.annotations.NullMarked;
