/**
 * The boundary between two threads of a pipeline: batches enter on the upstream thread and leave on the downstream
 * thread, through a bounded buffer that is guarded by a lock.
 */
@NullMarked
package dev.weir.stream.internal.boundary;

import org.jspecify.annotations.NullMarked;
