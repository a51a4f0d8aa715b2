/**
 * Tracks the finished offsets of a partition. The owner thread adds the offset of each record, any thread may
 * acknowledge records, and the owner thread commits the offset of the first unfinished record.
 */
@NullMarked
package dev.weir.kafka.internal.in.offsets;

import org.jspecify.annotations.NullMarked;
