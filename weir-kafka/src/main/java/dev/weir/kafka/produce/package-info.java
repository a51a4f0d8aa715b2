/**
 * Types for sinks that write any number of records per element, including none, with pass-through values, results, and
 * rules for records that cannot be written. Everything is immutable unless stated otherwise.
 */
@NullMarked
package dev.weir.kafka.produce;

import org.jspecify.annotations.NullMarked;
