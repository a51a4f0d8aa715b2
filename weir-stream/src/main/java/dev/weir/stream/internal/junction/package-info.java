/**
 * Stages with several inputs or outputs. One thread pulls inputs that are read in turn. Each input that is read
 * concurrently, and each output, has its own thread and a bounded buffer.
 */
@NullMarked
package dev.weir.stream.internal.junction;

import org.jspecify.annotations.NullMarked;
