/**
 * Stages that work on single elements at once: elements come in from a feeding segment, workers or futures work on
 * them, and the segment below pulls the results in the asked order. All shared state of a stage is under its one lock.
 */
@NullMarked
package dev.weir.stream.internal.parallel;

import org.jspecify.annotations.NullMarked;
