/**
 * Fetched data that have not been delivered yet. Each chunk contains one partition's part of a response. A cursor
 * passes the records of these chunks to the user's handler. Runs on the polling thread. A chunk retains its response's
 * buffer until all its records have been delivered or copied.
 */
@NullMarked
package dev.weir.lean.internal.cursor;

import org.jspecify.annotations.NullMarked;
