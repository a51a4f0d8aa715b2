/**
 * The commands' access to an existing cluster: client settings from a file, a check that brokers answer before the work
 * begins, and explanations of faults of Kafka clients. Used from the main thread.
 */
@NullMarked
package dev.weir.command.client;

import org.jspecify.annotations.NullMarked;
