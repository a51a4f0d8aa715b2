/**
 * The bytes of requests and responses: variable-length numbers, fetch requests that are written by patching templates,
 * and fetch responses that are read in place. Runs on the polling thread; owns no buffers.
 */
@NullMarked
package dev.weir.lean.internal.wire;

import org.jspecify.annotations.NullMarked;
