/**
 * Dead-letter records: topics, headers, and classes that read dead-letter records and restore the originals. Immutable
 * and safe to share, except for {@link dev.weir.kafka.deadletter.OriginalRecords}, which is confined to one thread and
 * must be closed.
 */
@NullMarked
package dev.weir.kafka.deadletter;

import org.jspecify.annotations.NullMarked;
