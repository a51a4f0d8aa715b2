/**
 * Dead-letter records: the topic for records that failed for good, the headers that say why, and reading such records,
 * by any writer, to send the originals back. Immutable and free to share, but for {@link
 * dev.weir.kafka.deadletter.OriginalRecords}, which is confined to one thread and owned by the user.
 */
@NullMarked
package dev.weir.kafka.deadletter;

import org.jspecify.annotations.NullMarked;
