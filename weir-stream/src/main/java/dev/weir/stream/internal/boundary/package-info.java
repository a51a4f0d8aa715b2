/**
 * The boundary between two segments: batches go in on the upper thread and come out on the lower one through a bounded
 * buffer guarded by a lock.
 */
@NullMarked
package dev.weir.stream.internal.boundary;

import org.jspecify.annotations.NullMarked;
