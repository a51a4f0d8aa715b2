/**
 * Stages with several inputs or outputs. Inputs that are read in turn are pulled by one thread. Each input that is read
 * concurrently, and each output, has its own thread; these threads are connected through bounded buffers.
 */
@NullMarked
package dev.weir.stream.internal.junction;

import org.jspecify.annotations.NullMarked;
