/**
 * Access of commands to an existing cluster: client settings from a file, a check that brokers answer before work
 * begins, and explanations of Kafka client faults. Used from the main thread.
 */
@NullMarked
package dev.weir.cli.client;

import org.jspecify.annotations.NullMarked;
