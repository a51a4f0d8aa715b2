/**
 * The boundary between two threads of a pipeline. Batches enter on the upstream thread and leave on the downstream
 * thread, through a bounded buffer that a lock guards.
 */
@NullMarked
package dev.weir.stream.internal.boundary;

import org.jspecify.annotations.NullMarked;
