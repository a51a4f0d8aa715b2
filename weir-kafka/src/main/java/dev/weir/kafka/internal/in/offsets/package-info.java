/**
 * Tracks the finished offsets of a partition. The owner thread adds the offset of each record it sees, any thread may
 * acknowledge records, and the owner thread commits the offset before which every record is finished.
 */
@NullMarked
package dev.weir.kafka.internal.in.offsets;

import org.jspecify.annotations.NullMarked;
