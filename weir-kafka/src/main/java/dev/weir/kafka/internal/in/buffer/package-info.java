/**
 * Assigned partitions with records fetched and not pulled yet: batches come in on the owner thread and go out by the
 * source's pull. Partitions pause when they hold enough. Uses {@code lookup}, {@code fetch} and {@code offsets}.
 */
@NullMarked
package dev.weir.kafka.internal.in.buffer;

import org.jspecify.annotations.NullMarked;
