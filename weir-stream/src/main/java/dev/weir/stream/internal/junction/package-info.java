/**
 * Stages with several inputs or outputs. Inputs that are needed in turn are pulled by one thread; inputs that come at
 * their own pace, and all outputs, have a segment each and meet in a bounded structure.
 */
@NullMarked
package dev.weir.stream.internal.junction;

import org.jspecify.annotations.NullMarked;
