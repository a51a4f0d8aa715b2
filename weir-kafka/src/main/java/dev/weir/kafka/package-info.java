/**
 * The types that applications use: settings, sources of consumed records, producing sinks, and the handle of a running
 * consumer. Everything is immutable unless stated otherwise.
 */
@NullMarked
package dev.weir.kafka;

import org.jspecify.annotations.NullMarked;
