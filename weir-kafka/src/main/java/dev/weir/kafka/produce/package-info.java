/**
 * Parts of sinks that produce more than one record per element: several or none, pass-through values, results, and
 * rules for records that cannot be written. Everything is immutable unless it says otherwise.
 */
@NullMarked
package dev.weir.kafka.produce;

import org.jspecify.annotations.NullMarked;
