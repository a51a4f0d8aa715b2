/**
 * Stages with threads of their own: batches come in from a feeding segment, are worked on by a dispatcher's threads, and
 * are pulled in the asked order by the segment below. All shared state of a stage is under its one lock.
 */
@NullMarked
package dev.weir.stream.internal.parallel;

import org.jspecify.annotations.NullMarked;
