/**
 * Stages that handle many elements concurrently. A feeding thread adds elements, workers or futures handle them, and
 * the downstream thread pulls the results in the requested order. One lock guards all shared state of a stage.
 */
@NullMarked
package dev.weir.stream.internal.parallel;

import org.jspecify.annotations.NullMarked;
