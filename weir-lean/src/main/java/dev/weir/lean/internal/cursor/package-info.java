/**
 * Fetched and undelivered data of partitions: chunks of responses come in, records go to the user's handler. Runs on
 * the polling thread; a chunk retains its response's buffer until it is done, or owns a copy.
 */
@NullMarked
package dev.weir.lean.internal.cursor;

import org.jspecify.annotations.NullMarked;
