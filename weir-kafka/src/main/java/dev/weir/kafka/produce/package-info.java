/**
 * Types for sinks that write any number of records per element, with pass-through values, results, and rules for
 * unwritable records. Everything is immutable unless stated otherwise.
 */
@NullMarked
package dev.weir.kafka.produce;

import org.jspecify.annotations.NullMarked;
