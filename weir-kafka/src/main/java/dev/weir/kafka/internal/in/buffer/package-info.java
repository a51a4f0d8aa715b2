/**
 * The assigned partitions and their buffered records. The owner thread adds batches, and the source pulls them. A
 * partition is paused when it has enough outstanding records. Uses {@code lookup}, {@code fetch} and {@code offsets}.
 */
@NullMarked
package dev.weir.kafka.internal.in.buffer;

import org.jspecify.annotations.NullMarked;
