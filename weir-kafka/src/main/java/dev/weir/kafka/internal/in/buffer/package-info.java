/**
 * Contains the assigned partitions and their fetched records that were not pulled yet. The owner thread adds batches,
 * and the source pulls them. Partitions pause when they hold enough. Uses {@code lookup}, {@code fetch} and
 * {@code offsets}.
 */
@NullMarked
package dev.weir.kafka.internal.in.buffer;

import org.jspecify.annotations.NullMarked;
