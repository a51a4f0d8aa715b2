/**
 * The boundary between two segments: batches enter on the upper segment's thread and leave on the lower segment's
 * thread, through a bounded buffer that is guarded by a lock.
 */
@NullMarked
package dev.weir.stream.internal.boundary;

import org.jspecify.annotations.NullMarked;
