/**
 * Fetched data that have not been delivered yet. A chunk is one partition's part of a response. A cursor passes the
 * records of the chunks to the user's handler. Runs on the polling thread. A chunk retains its response's buffer until
 * all its records have been delivered or copied.
 */
@NullMarked
package dev.weir.lean.internal.cursor;

import org.jspecify.annotations.NullMarked;
