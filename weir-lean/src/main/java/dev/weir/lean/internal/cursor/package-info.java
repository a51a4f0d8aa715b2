/**
 * Data of partitions that were fetched but not delivered yet. The input is chunks of responses; the output is records,
 * passed to the user's handler. Runs on the polling thread. A chunk retains its response's buffer until all its records
 * are delivered, or owns a copy.
 */
@NullMarked
package dev.weir.lean.internal.cursor;

import org.jspecify.annotations.NullMarked;
