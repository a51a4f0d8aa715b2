/**
 * Data that were fetched but not delivered yet. The input consists of chunks of responses; the output consists of
 * records passed to the user's handler. Runs on the polling thread. A chunk retains its response's buffer until all its
 * records have been delivered or copied.
 */
@NullMarked
package dev.weir.lean.internal.cursor;

import org.jspecify.annotations.NullMarked;
