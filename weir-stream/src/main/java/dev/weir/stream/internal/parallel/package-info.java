/**
 * Stages that handle many elements concurrently: a feeding thread adds elements, workers or futures handle them, and
 * the downstream thread pulls the results in the requested order. All shared state of a stage is guarded by its only
 * lock.
 */
@NullMarked
package dev.weir.stream.internal.parallel;

import org.jspecify.annotations.NullMarked;
