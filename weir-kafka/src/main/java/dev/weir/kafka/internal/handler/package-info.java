/**
 * Handling of records that fail. Wraps handlers, converts their failures into values, and writes failed records to
 * retry and dead-letter topics. The comment of each class states its threading rules.
 */
@NullMarked
package dev.weir.kafka.internal.handler;

import org.jspecify.annotations.NullMarked;
