/**
 * The binary format of requests and responses: variable-length integers, fetch requests from templates, and fetch
 * responses read in place. Used by the polling thread; owns no buffers.
 */
@NullMarked
package dev.weir.lean.internal.wire;

import org.jspecify.annotations.NullMarked;
