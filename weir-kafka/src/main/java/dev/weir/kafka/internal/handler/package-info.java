/**
 * Handling of records that fail. Wraps handlers so that failures become values, writes failed records to retry and
 * dead-letter topics, and acknowledges them once the brokers have acknowledged the writes. The comment of each class
 * states its threading rules.
 */
@NullMarked
package dev.weir.kafka.internal.handler;

import org.jspecify.annotations.NullMarked;
