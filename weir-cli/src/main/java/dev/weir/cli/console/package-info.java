/**
 * {@code --console} of the commands that run a pipeline, and {@code weir console}, which queries and steers such a
 * process. Addresses and settings come in; a server, or a process's answers, go out. The requesting command owns them.
 */
@NullMarked
package dev.weir.cli.console;

import org.jspecify.annotations.NullMarked;
