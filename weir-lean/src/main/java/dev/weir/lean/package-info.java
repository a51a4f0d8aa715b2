/**
 * The types of a user's code on the lean fetch path: settings, the consumer, the views that it shows, and its failures.
 * A consumer and all its views belong to the one thread that polls.
 */
@NullMarked
package dev.weir.lean;

import org.jspecify.annotations.NullMarked;
