/**
 * Treatment of records that fail: handlers are wrapped, failed records arrive as values and are written to retry and
 * dead-letter topics, and their acknowledgements follow the brokers' answers. Each class names its thread.
 */
@NullMarked
package dev.weir.kafka.internal.handler;

import org.jspecify.annotations.NullMarked;
