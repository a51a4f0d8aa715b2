/**
 * The commands' access to a cluster: client settings from a file, a check that brokers answer, and explanations of
 * client faults. Used from the main thread.
 */
@NullMarked
package dev.weir.command.client;

import org.jspecify.annotations.NullMarked;
