/**
 * Handles records that fail. Wraps handlers so that failures become values, writes failed records to retry and
 * dead-letter topics, and acknowledges them once the brokers have acknowledged the writes. Each class names its thread.
 */
@NullMarked
package dev.weir.kafka.internal.handler;

import org.jspecify.annotations.NullMarked;
