/**
 * Dead-letter records: the topic for records that failed permanently, the headers that explain the failure, and classes
 * that read such records, written by Weir or other software, and restore the originals. Immutable and safe to share,
 * except for {@link dev.weir.kafka.deadletter.OriginalRecords}, which is confined to one thread and must be closed.
 */
@NullMarked
package dev.weir.kafka.deadletter;

import org.jspecify.annotations.NullMarked;
