/**
 * The types that user code works with: settings, sources of consumed records, producing sinks, and the handle of a
 * running consumer. Everything is immutable unless it says otherwise.
 */
@NullMarked
package dev.weir.kafka;

import org.jspecify.annotations.NullMarked;
