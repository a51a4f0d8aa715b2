/**
 * The boundary between two segments: batches go in on the upper thread and come out on the lower one through a bounded
 * buffer, which both share under its lock.
 */
@NullMarked
package dev.weir.stream.internal.boundary;

import org.jspecify.annotations.NullMarked;
