/**
 * Producing with options: several records or none per element, pass-through values, results, rules for records that
 * cannot be written, and a producer that is shared or used outside pipelines. Everything is immutable unless it says
 * otherwise.
 */
@NullMarked
package dev.weir.kafka.produce;

import org.jspecify.annotations.NullMarked;
