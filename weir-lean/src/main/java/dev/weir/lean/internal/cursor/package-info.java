/**
 * Data fetched of a partition and not yet delivered: chunks of responses come in, records go to the user's handler.
 * Runs on the thread that polls; a chunk borrows its response's buffer until it is done, or owns a copy.
 */
@NullMarked
package dev.weir.lean.internal.cursor;

import org.jspecify.annotations.NullMarked;
