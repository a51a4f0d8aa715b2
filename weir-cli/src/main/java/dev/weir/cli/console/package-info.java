/**
 * The option {@code --console} of commands that run a pipeline, and the commands that query or steer a pipeline in
 * another process. Each command closes the servers and clients that it opens.
 */
@NullMarked
package dev.weir.cli.console;

import org.jspecify.annotations.NullMarked;
