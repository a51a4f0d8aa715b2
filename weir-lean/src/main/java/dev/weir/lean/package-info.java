/**
 * What a user of the lean fetch path types: settings, the consumer, the views that it shows, and its failures. A
 * consumer and all its views belong to the one thread that polls.
 */
@NullMarked
package dev.weir.lean;

import org.jspecify.annotations.NullMarked;
