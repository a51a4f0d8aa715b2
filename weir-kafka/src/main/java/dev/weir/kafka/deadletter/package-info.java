/**
 * Dead-letter records: the topic for records that failed permanently, the headers that explain why, and classes that
 * read dead-letter records of any writer in order to send the originals back. Immutable and safe to share, except for
 * {@link dev.weir.kafka.deadletter.OriginalRecords}, which is confined to one thread and must be closed by the user.
 */
@NullMarked
package dev.weir.kafka.deadletter;

import org.jspecify.annotations.NullMarked;
