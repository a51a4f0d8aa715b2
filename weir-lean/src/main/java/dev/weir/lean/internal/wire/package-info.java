/**
 * The bytes of requests and responses: variable-length numbers, fetch requests that are patched, fetch responses that
 * are indexed in place. Runs on the polling thread; owns no buffer.
 */
@NullMarked
package dev.weir.lean.internal.wire;

import org.jspecify.annotations.NullMarked;
