/**
 * Stages with several inputs or outputs. One thread pulls inputs that are read in turn. Inputs read at their own pace,
 * and all outputs, have a segment each and meet in a bounded buffer.
 */
@NullMarked
package dev.weir.stream.internal.junction;

import org.jspecify.annotations.NullMarked;
