/**
 * Access of commands to a cluster that is there already: client settings from a file, a check that brokers answer
 * before work begins, and the faults of Kafka clients in words. Used from the main thread.
 */
@NullMarked
package dev.weir.cli.client;

import org.jspecify.annotations.NullMarked;
