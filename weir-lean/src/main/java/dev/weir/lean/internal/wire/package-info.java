/**
 * The binary format of requests and responses: variable-length integers, fetch requests written from templates, and
 * fetch responses read in place. The classes are used by the polling thread and do not own buffers.
 */
@NullMarked
package dev.weir.lean.internal.wire;

import org.jspecify.annotations.NullMarked;
