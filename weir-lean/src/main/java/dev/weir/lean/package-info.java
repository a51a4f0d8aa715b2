/**
 * The types that user code works with on the lean fetch path: settings, the consumer, its views, and its failures. A
 * consumer and all its views belong to the one polling thread.
 */
@NullMarked
package dev.weir.lean;

import org.jspecify.annotations.NullMarked;
